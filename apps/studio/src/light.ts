// Lamps that model the shape on stage. The room around it does the rest: see room.ts.
import * as THREE from 'three';

/** A key from the left and a rim from behind. */
export function lamps(): THREE.Light[] {
  const key = new THREE.DirectionalLight(0xfff4e8, 2.1);
  key.position.set(-0.7, 1, 0.4);
  const rim = new THREE.DirectionalLight(0xdfe9ff, 1.1);
  rim.position.set(0.8, 0.3, -0.9);
  for (const light of [key, rim]) light.layers.enableAll();
  return [key, rim];
}
