"""Poses a hand, and plots how far linear blend is from what flesh would do: error over the angle of one joint."""

# needs matplotlib
import os

import matplotlib.pyplot as plt
import numpy as np

import supple

small = "SUPPLE_SMALL" in os.environ
joint = "index-finger-phalanx-proximal"
hand = supple.make.hand(vertices=1500 if small else 10000).character

# what flesh does, and a skin that has learnt it
flesh = supple.simulate(
    hand,
    joints=[joint],
    size=12 if small else 7,
    per_dof=2 if small else 6,
    axes_only=small,
    no_contact=small,
    random=0,
    grips=0,
    test_grips=0,
    no_pictures=True,
)
fitted = supple.fit(hand, flesh).character
examples = flesh.examples

skins = {"linear blend": (hand, supple.Skin(hand)), "Supple": (fitted, supple.Skin(fitted))}
for name, (character, skin) in skins.items():
    points = []
    for number, usable in enumerate(examples.usable):
        if not usable:  # coarse flesh now and then turns inside out
            continue
        pose = examples.pose(number, character)
        turn = 2 * np.degrees(np.arccos(min(1.0, abs(float(pose.rotations[character.joint(joint), 3])))))
        error = np.linalg.norm(skin.evaluate(pose) - examples.positions[number], axis=1)
        points.append((turn, 1000 * float(np.sqrt(np.mean(error**2)))))
    points.sort()
    plt.plot(*zip(*points), marker="o", label=name)

plt.xlabel(f"{joint}, degrees")
plt.ylabel("distance from flesh, mm RMS")
plt.legend()
plt.savefig("error.png")
print("error.png")
