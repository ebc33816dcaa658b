#!/usr/bin/env python3
"""Trains the network of models/examples/neural_arm.json: a cylinder whose backbone has constant curvature.

    scripts/train_neural_body.py models/examples/neural_arm.json

Needs numpy (Debian: python3-numpy), takes some two minutes. Samples and start come from a fixed seed: the same numpy
writes the same file; another one may round otherwise and end in another network that is as good.

The body is L = 0.2 m long with radius R = 0.02 m, its coordinates are the bending angles (q1, q2) = L (kappa_x,
kappa_y) in [-1, 1] rad. With p = x + (z / L) N([x / L; q]) the network must give
N = L (b(t) a x e3 + c(t) a x (a x e3)) + s(t) Q x y + b(t) Q x (a x y), Q = (q1, q2, 0), a = (z / L) Q, t = |a|,
y = (x1, x2, 0), with s = sin t / t, b = (1 - cos t) / t^2, c = (t - sin t) / t^3.
The body looks the same in the mirrors of the xz and the yz plane: the network is the mean of a small one and its
mirror images, and so it is exactly as symmetric, and straight at rest. Fitted by least squares, all samples at once.
"""
import json
import sys

import numpy as np

LENGTH, RADIUS, HIDDEN, SAMPLES, ITERATIONS = 0.2, 0.02, [12, 12], 2500, 400
# signs of (x, y, z, q1, q2) in a mirror; the displacement has those of the first three
MIRRORS = np.array([[1, 1, 1, 1, 1], [-1, 1, 1, 1, -1], [1, -1, 1, -1, 1], [-1, -1, 1, -1, -1]], dtype=float)
REACH = 1.02  # samples go a little beyond the body and the range of q


def displacement(x, q):
    """N at points x (m, 3) and coordinates q (m, 2)."""
    Q = np.column_stack([q, np.zeros(len(q))])
    a = x[:, 2:3] / LENGTH * Q
    t2 = np.sum(a * a, axis=1, keepdims=True)  # below 1.3^2: ten terms are exact
    s, b, c = np.zeros_like(t2), np.zeros_like(t2), np.zeros_like(t2)
    term = np.ones_like(t2)  # (-t^2)^k / (2 k + 1)!
    for k in range(12):
        s, b, c = s + term, b + term / (2 * k + 2), c + term / ((2 * k + 2) * (2 * k + 3))
        term = term * -t2 / ((2 * k + 2) * (2 * k + 3))
    e3 = np.broadcast_to([0.0, 0.0, 1.0], x.shape)
    y = x * [1.0, 1.0, 0.0]
    turned = np.cross(a, e3)
    return LENGTH * (b * turned + c * np.cross(a, turned)) + s * np.cross(Q, y) + b * np.cross(Q, np.cross(a, y))


class Network:
    """tanh layers and a linear one, with its parameters in one vector."""

    def __init__(self, sizes):
        self.shapes = list(zip(sizes[1:], sizes[:-1]))

    def start(self, random):
        return np.concatenate(
            [np.append(random.normal(size=o * i) / np.sqrt(i), random.normal(size=o) * 0.3) for o, i in self.shapes])

    def layers(self, parameters):
        at = 0
        for outputs, inputs in self.shapes:
            weight = parameters[at:at + outputs * inputs].reshape(outputs, inputs)
            at += outputs * inputs
            yield weight, parameters[at:at + outputs]
            at += outputs

    def residuals(self, parameters, inputs, targets, with_jacobian):
        """Of the mean over all mirrors, for all outputs of all samples; and their derivatives, one row each."""
        residual, jacobian = -targets.ravel(), None
        for mirror in MIRRORS:
            signs = np.tile(mirror[:3], len(inputs)) / len(MIRRORS)
            output, slope = self.outputs(parameters, inputs * mirror, with_jacobian)
            residual = residual + signs * output
            if with_jacobian:
                jacobian = signs[:, None] * slope + (0.0 if jacobian is None else jacobian)
        return residual, jacobian

    def outputs(self, parameters, inputs, with_jacobian):
        """For all samples; and their derivatives, one row each."""
        layers = list(self.layers(parameters))
        activations = [inputs]
        for k, (weight, bias) in enumerate(layers):
            z = activations[-1] @ weight.T + bias
            activations.append(np.tanh(z) if k + 1 < len(layers) else z)
        if not with_jacobian:
            return activations[-1].ravel(), None
        count, outputs = activations[-1].shape
        change = np.broadcast_to(np.eye(outputs), (count, outputs, outputs))  # d output / d z of the layer
        columns = []
        for k in reversed(range(len(layers))):
            if k + 1 < len(layers):
                change = change * (1.0 - activations[k + 1]**2)[:, None, :]
            of_weight = change[:, :, :, None] * activations[k][:, None, None, :]
            columns.insert(0, np.concatenate([of_weight.reshape(count, outputs, -1), change], axis=2))
            change = change @ layers[k][0]
        return activations[-1].ravel(), np.concatenate(columns, axis=2).reshape(count * outputs, -1)


def minimize(function, x, iterations):
    """Least squares by Levenberg and Marquardt's method."""
    damping = 1e-2
    residual, jacobian = function(x, True)
    for iteration in range(iterations):
        normal, gradient = jacobian.T @ jacobian, jacobian.T @ residual
        for _ in range(20):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal) + 1e-9), -gradient)
            new_residual, _ = function(x + step, False)
            if new_residual @ new_residual < residual @ residual:
                break
            damping *= 4.0
        else:
            return x
        x, damping = x + step, damping / 3.0
        residual, jacobian = function(x, True)
        if iteration % 20 == 0:
            size = np.sqrt(residual @ residual / len(residual))
            print(f"{iteration:4d}  root mean square {size:.3e} of the targets' spread", flush=True)
    return x


def samples(random, count):
    radius = RADIUS * REACH * np.sqrt(random.uniform(size=count))
    angle = random.uniform(0.0, 2.0 * np.pi, size=count)
    # denser towards the ends, where a fit is worst
    z, q1, q2 = (np.cos(np.pi * random.uniform(size=count)) for _ in range(3))
    x = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0.5 * LENGTH * (1.0 + REACH * z)])
    return x, REACH * np.column_stack([q1, q2])


def main(path):
    random = np.random.RandomState(1)
    x, q = samples(random, SAMPLES)
    targets = displacement(x, q)
    # the network is fitted to numbers of size 1; its first and last layer take the units in afterwards
    inputs = np.column_stack([x, q])
    center, spread = np.array([0.0, 0.0, 0.5 * LENGTH, 0.0, 0.0]), inputs.std(axis=0)
    target_spread = targets.std()
    network = Network([5] + HIDDEN + [3])
    fit_inputs, fit_targets = (inputs - center) / spread, targets / target_spread
    parameters = minimize(lambda p, jacobian: network.residuals(p, fit_inputs, fit_targets, jacobian),
                          network.start(random), ITERATIONS)

    # the mirror images side by side
    layers = []
    for k, (weight, bias) in enumerate(network.layers(parameters)):
        if k == 0:
            weight, bias = np.vstack([weight * mirror for mirror in MIRRORS]), np.tile(bias, len(MIRRORS))
            bias = bias - weight @ (center / spread)
            weight = weight * np.array([LENGTH] * 3 + [1.0] * 2) / spread
        elif k < len(HIDDEN):
            weight, bias = np.kron(np.eye(len(MIRRORS)), weight), np.tile(bias, len(MIRRORS))
        else:
            signs = MIRRORS[:, :3] * target_spread / len(MIRRORS)
            weight, bias = np.hstack([weight * s[:, None] for s in signs]), bias * signs.sum(axis=0)
        layers.append([weight, bias])

    def shortened(numbers):
        return [float(f"{number:.9g}") + 0.0 for number in numbers]

    written = [{"weight": [shortened(row) for row in weight], "bias": shortened(bias),
                "activation": "tanh" if k + 1 < len(layers) else "identity"}
               for k, (weight, bias) in enumerate(layers)]
    with open(path, "w") as file:
        head = {"format": "cuttle-mlp-1", "scale": LENGTH, "base_weight": "linear"}
        file.write(json.dumps(head)[:-1] + ', "layers": [\n')
        file.write(",\n".join(json.dumps(layer) for layer in written) + "\n]}\n")

    x, q = samples(random, 20000)
    inside = (np.abs(q).max(axis=1) <= 1.0) & (x[:, 2] >= 0.0) & (x[:, 2] <= LENGTH)
    x, q = x[inside], q[inside]
    a = np.column_stack([x / LENGTH, q])
    for k, (weight, bias) in enumerate(layers):
        a = a @ weight.T + bias
        a = np.tanh(a) if k + 1 < len(layers) else a
    error = np.linalg.norm(x[:, 2:3] / LENGTH * (a - displacement(x, q)), axis=1)
    print(f"largest error of a position {error.max():.2e} m = {error.max() / LENGTH:.1e} L")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
