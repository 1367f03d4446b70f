def mean_auc(result):
    import numpy as np
    return float(np.mean([np.mean(e["auc"]) for e in result["sets"].values()]))
def write(a,b): pass
