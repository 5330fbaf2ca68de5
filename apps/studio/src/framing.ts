// Where a camera stands so that points fill the picture.
import * as THREE from 'three';

/** Shares of the picture, from 0 to 1, that stay free at its edges. */
export interface Margins {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export interface Stand {
  position: THREE.Vector3;
  target: THREE.Vector3;
  radius: number; // of the points about the target
}

/** Right, up and towards the camera, for a camera that looks against `direction` with y upwards. */
export function axesOf(direction: THREE.Vector3): [THREE.Vector3, THREE.Vector3, THREE.Vector3] {
  const back = direction.clone().normalize();
  const right = new THREE.Vector3(0, 1, 0).cross(back);
  if (right.lengthSq() < 1e-8) right.set(1, 0, 0);
  right.normalize();
  return [right, back.clone().cross(right), back];
}

/**
 * The nearest stand from which a camera of these half-angles (their tangents) has all points within the margins. A point
 * (x, y, z) is inside on the right where x - cx <= (cz - z) slope, which is linear in the camera's place c: the extremes of
 * x + z slope and x - z slope over all points say all.
 */
export function standFor(points: readonly Float32Array[], direction: THREE.Vector3, tangents: THREE.Vector2, margins: Margins): Stand {
  const [right, up, back] = axesOf(direction);
  const slopes = [
    tangents.x * (1 - 2 * margins.right), tangents.x * (1 - 2 * margins.left), tangents.y * (1 - 2 * margins.top), tangents.y * (1 - 2 * margins.bottom),
  ];
  const most = [-Infinity, Infinity, -Infinity, Infinity]; // right, left, top, bottom
  const box = new THREE.Box3();
  const point = new THREE.Vector3();
  const turned = new THREE.Vector3();
  for (const part of points)
    for (let i = 0; i < part.length; i += 3) {
      point.fromArray(part, i);
      turned.set(point.dot(right), point.dot(up), point.dot(back));
      box.expandByPoint(turned);
      most[0] = Math.max(most[0], turned.x + turned.z * slopes[0]);
      most[1] = Math.min(most[1], turned.x - turned.z * slopes[1]);
      most[2] = Math.max(most[2], turned.y + turned.z * slopes[2]);
      most[3] = Math.min(most[3], turned.y - turned.z * slopes[3]);
    }
  if (box.isEmpty()) box.expandByPoint(turned.set(0, 0, 0));
  const radius = box.getSize(turned).length() / 2 || 1; // all vertices at one place
  const wide = (most[0] - most[1]) / (slopes[0] + slopes[1]);
  const high = (most[2] - most[3]) / (slopes[2] + slopes[3]);
  const middle = box.getCenter(new THREE.Vector3());
  const z = Number.isFinite(wide + high) && Math.max(wide, high) > middle.z ? Math.max(wide, high) : middle.z + radius / tangents.y;
  const x = Number.isFinite(wide) ? (most[0] - z * slopes[0] + most[1] + z * slopes[1]) / 2 : middle.x;
  const y = Number.isFinite(high) ? (most[2] - z * slopes[2] + most[3] + z * slopes[3]) / 2 : middle.y;
  const place = (depth: number) => new THREE.Vector3().addScaledVector(right, x).addScaledVector(up, y).addScaledVector(back, depth);
  return { position: place(z), target: place(middle.z), radius };
}
