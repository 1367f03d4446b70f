#include <stdlib.h>
static inline double fx(const char *n, double d) { const char *e = getenv(n); return e ? atof(e) : d; }
