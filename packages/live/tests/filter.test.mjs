// The one-euro filter against its closed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameFilter, RotationFilter, defaultFilter } from 'supple-live';
import { angleBetween, axisAngle, multiply, random, randomRotation } from './hand.mjs';

const rate = 60;
const axis = [0.6, 0, 0.8];

test('a still joint comes out as it went in, with either sign', () => {
  const filter = new RotationFilter();
  const still = axisAngle(axis, 1.234);
  for (let i = 0; i < 200; ++i) {
    const out = filter.next(i % 2 ? still : still.map((c) => -c), i / rate);
    assert.ok(angleBetween(out, still) < 1e-14); // rounding
  }
});

test('a step is reached, along the axis, without overshoot', () => {
  const filter = new RotationFilter();
  filter.next([0, 0, 0, 1], 0);
  let before = 1;
  for (let i = 1; i <= 60; ++i) {
    const out = filter.next(axisAngle(axis, 1), i / rate);
    const left = angleBetween(out, axisAngle(axis, 1));
    assert.ok(left <= before + 1e-14);
    assert.ok(Math.abs(angleBetween([0, 0, 0, 1], out) + left - 1) < 1e-12, 'on the way');
    before = left;
  }
  // After a second at the lowest cutoff a low-pass has (1 - a)^60 left, with a = 1 / (1 + 60 / (2 pi 1.5)): 1.5e-4.
  assert.ok(before < 2e-4, `${before} left`);
});

test('noise is reduced to less than a third', () => {
  const rng = random(3);
  const filter = new RotationFilter();
  const truth = axisAngle([0, 1, 0], 0.5);
  let [raw, smooth] = [0, 0];
  for (let i = 0; i < 2000; ++i) {
    const noisy = multiply(truth, randomRotation(rng, (rng() + rng() + rng() - 1.5) * 0.03)); // about 1 degree
    const out = filter.next(noisy, i / rate);
    if (i < 100) continue; // from the first value, which is taken as it is
    raw += angleBetween(noisy, truth) ** 2;
    smooth += angleBetween(out, truth) ** 2;
  }
  const factor = Math.sqrt(raw / smooth);
  console.log(`noise is reduced ${factor.toFixed(2)} times`);
  assert.ok(factor > 3, `${factor}`);
});

test('behind a steady motion the lag is 1 / (2 pi cutoff), shorter for quicker motion', () => {
  for (const speed of [0.5, 3, 10]) {
    const filter = new RotationFilter();
    let out;
    for (let i = 0; i <= 300; ++i) out = filter.next(axisAngle(axis, (speed * i) / rate), i / rate);
    const lag = angleBetween(out, axisAngle(axis, speed * 5)) / speed;
    const expected = 1 / (2 * Math.PI * (defaultFilter.minCutoff + defaultFilter.beta * speed));
    console.log(`at ${speed} rad/s the lag is ${(1000 * lag).toFixed(1)} ms`);
    assert.ok(Math.abs(lag - expected) < 1e-6); // what is left of the start after 5 s
  }
});

test('frames that are not later change nothing; after a gap the motion starts anew', () => {
  const filter = new RotationFilter();
  filter.next([0, 0, 0, 1], 1);
  const out = filter.next(axisAngle(axis, 1), 1.1);
  for (const time of [1.1, 0.5, NaN]) assert.deepEqual(filter.next(axisAngle(axis, 3), time), out);
  assert.deepEqual(filter.next(axisAngle(axis, 2), 1.7), axisAngle(axis, 2));
});

test('joints are filtered one by one, and the same frames give the same numbers', () => {
  const run = () => {
    const filter = new FrameFilter();
    const rng = random(1);
    const out = [];
    for (let i = 0; i < 50; ++i) {
      const joints = new Map([['a', axisAngle(axis, rng())]]);
      if (i > 20) joints.set('b', axisAngle(axis, 0.5));
      out.push([...filter.next({ time: i / rate, joints }).joints]);
    }
    return out;
  };
  assert.deepEqual(run(), run());
  assert.equal(run()[20].length, 1);
  assert.ok(angleBetween(run()[49][1][1], axisAngle(axis, 0.5)) < 1e-14);
});
