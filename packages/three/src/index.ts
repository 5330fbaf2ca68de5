// Morph weights that follow the joints (SUPPLE_deformers), live on stock three.js:
//
//   const drivers = readDrivers(gltf);                          // gltf: what GLTFLoader gave
//   mixer.clipAction(drivers.withoutDrivenTracks(clip)).play(); // weights baked into the clip are no longer needed
//   ...each frame: mixer.update(seconds); drivers.update(); renderer.render(scene, camera);
export { Drivers, readDrivers } from './drivers.js';
export type { DriverJson } from './driver.js';
