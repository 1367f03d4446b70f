# SPDX-License-Identifier: BSD-3-Clause
"""The two networks of the paper's comparison, in PyTorch, from their papers' descriptions.

Auto-encoder (Aggarwal 2015; Sakurada and Yairi 2014): a symmetric network with a narrow middle; a row
is the less normal, the larger its squared reconstruction error.

Deep SVDD (Ruff et al. 2018): the encoder of that auto-encoder, which has neither biases nor bounded
activations, is trained further to bring the training rows close to a centre c, the mean of their
first outputs. Hard: the mean squared distance to c. Soft: a radius R, and rows outside
it are paid for by 1/nu. A row is the less normal, the farther it is from c."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

LEAK = 0.1


class Dense(nn.Module):
    """For tables: d - 128 - 64 - 32 and back; narrower where there are few columns."""

    def __init__(self, d: int) -> None:
        super().__init__()
        widths = [d, *((128, 64, 32) if d > 64 else (32, 16, max(2, d // 4)))]
        pairs = list(zip(widths[:-1], widths[1:], strict=True))
        self.down = nn.ModuleList(nn.Linear(a, b, bias=False) for a, b in pairs)
        self.up = nn.ModuleList(nn.Linear(b, a) for a, b in reversed(pairs))

    def encode(self, x: Tensor) -> Tensor:
        for layer in self.down[:-1]:
            x = F.leaky_relu(layer(x), LEAK)
        return self.down[-1](x)

    def decode(self, z: Tensor) -> Tensor:
        for layer in self.up[:-1]:
            z = F.leaky_relu(layer(z), LEAK)
        return self.up[-1](z)


class Convolutional(nn.Module):
    """For images: the two LeNets of Deep SVDD's authors, 8-4 filters and 32 outputs for one channel,
    32-64-128 filters and 128 outputs for three; the decoder mirrors the encoder."""

    def __init__(self, shape: tuple[int, int, int]) -> None:
        super().__init__()
        filters, width = ((8, 4), 32) if shape[0] == 1 else ((32, 64, 128), 128)
        chain, sizes = [shape[0], *filters], [shape[1:]]
        for _ in filters:
            sizes.append((sizes[-1][0] // 2, sizes[-1][1] // 2))
        pairs = list(zip(chain[:-1], chain[1:], strict=True))
        self.sizes, self.middle = sizes, (filters[-1], *sizes[-1])
        flat = filters[-1] * sizes[-1][0] * sizes[-1][1]
        self.down = nn.ModuleList(nn.Conv2d(a, b, 5, padding=2, bias=False) for a, b in pairs)
        self.down_norm = nn.ModuleList(nn.BatchNorm2d(b, eps=1e-4, affine=False) for _, b in pairs)
        self.code = nn.Linear(flat, width, bias=False)
        self.open = nn.Linear(width, flat, bias=False)
        self.up = nn.ModuleList(nn.Conv2d(b, a, 5, padding=2, bias=False)
                                for a, b in reversed(pairs))
        self.up_norm = nn.ModuleList(nn.BatchNorm2d(b, eps=1e-4, affine=False)
                                     for _, b in reversed(pairs))

    def encode(self, x: Tensor) -> Tensor:
        for layer, norm in zip(self.down, self.down_norm, strict=True):
            x = F.max_pool2d(F.leaky_relu(norm(layer(x)), LEAK), 2)
        return self.code(x.flatten(1))

    def decode(self, z: Tensor) -> Tensor:
        x = self.open(z).view(-1, *self.middle)
        stages = zip(self.up, self.up_norm, reversed(self.sizes[:-1]), strict=True)
        for layer, norm, size in stages:
            x = layer(F.interpolate(F.leaky_relu(norm(x), LEAK), size=size))
        return torch.sigmoid(x)


def make(d: int, shape: tuple[int, ...]) -> nn.Module:
    return Convolutional((shape[0], shape[1], shape[2])) if shape else Dense(d)


class Training:
    """Adam over shuffled batches; the learning rate falls to a tenth for the last third."""

    def __init__(self, network: nn.Module, parameters: list[nn.Parameter], rate: float, decay: float,
                 epochs: int) -> None:
        self.network, self.epochs = network, epochs
        self.adam = torch.optim.Adam(parameters, lr=rate, weight_decay=decay)
        self.steps = torch.optim.lr_scheduler.MultiStepLR(self.adam, [epochs * 2 // 3])

    def run(self, X: Tensor, batch: int, loss, after_epoch=lambda epoch: None) -> None:
        self.network.train()
        for epoch in range(self.epochs):
            order = torch.randperm(len(X), device=X.device)
            for start in range(0, len(X), batch):
                rows = order[start : start + batch]
                if len(rows) < 2:
                    continue  # a batch of one has no variance
                self.adam.zero_grad(set_to_none=True)
                loss(X[rows]).backward()
                self.adam.step()
            self.steps.step()
            after_epoch(epoch)
        self.network.eval()


@torch.no_grad()
def in_batches(function, X: Tensor, batch: int = 2048) -> Tensor:
    return torch.cat([function(X[i : i + batch]) for i in range(0, len(X), batch)])


def train_autoencoder(network: nn.Module, X: Tensor, batch: int, epochs: int) -> None:
    def loss(x: Tensor) -> Tensor:
        return F.mse_loss(network.decode(network.encode(x)), x)

    Training(network, list(network.parameters()), 1e-3, 1e-6, epochs).run(X, batch, loss)


def reconstruction_error(network: nn.Module, X: Tensor) -> Tensor:
    return in_batches(lambda x: (network.decode(network.encode(x)) - x).pow(2).flatten(1).sum(1), X)


def centre(network: nn.Module, X: Tensor) -> Tensor:
    """The mean output; units near 0 are moved away, since a zero weight would match them."""
    c = in_batches(network.encode, X).mean(0)
    return torch.where(c.abs() < 0.1, torch.where(c < 0, -0.1, 0.1), c)


def train_svdd(network: nn.Module, X: Tensor, batch: int, epochs: int, soft: bool,
               nu: float = 0.1) -> Tensor:
    """Returns the centre."""
    c = centre(network, X)
    radius2 = torch.zeros((), device=X.device)
    warm_up = min(10, epochs // 5)

    def loss(x: Tensor) -> Tensor:
        distance = (network.encode(x) - c).pow(2).sum(1)
        if not soft:
            return distance.mean()
        return radius2 + F.relu(distance - radius2).mean() / nu

    def after_epoch(epoch: int) -> None:
        if soft and epoch >= warm_up:
            with torch.no_grad():  # R is solved for, not descended to
                sample = X[torch.randperm(len(X), device=X.device)[:2000]]
                distance = (network.encode(sample) - c).pow(2).sum(1)
                radius2.copy_(torch.quantile(distance, 1 - nu))

    weights = [p for name, p in network.named_parameters() if name.startswith(("down", "code"))]
    Training(network, weights, 1e-4, 1e-6, epochs).run(X, batch, loss, after_epoch)
    return c


def distance(network: nn.Module, c: Tensor, X: Tensor) -> Tensor:
    return in_batches(lambda x: (network.encode(x) - c).pow(2).sum(1), X)
