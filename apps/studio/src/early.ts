// What takes long, begun before the large script of the page is read. The worker fetches and opens the first file by itself: the
// page is busy with other things, and stands still while the browser starts its graphics.
import { Engine } from '../engine/engine';
import wasm from '../engine/dist/supple_engine.wasm?url';
import { reached } from './reached';
import { Remote } from './remote';
import { defaultSettings, layersOf } from './settings';
import { askFor, session } from './sources';
import { type Stop, stops } from './stops';
import type { Opened } from './worker/messages';

/** A worker that reads a file already. */
export interface Ahead {
  remote: Remote;
  opened: Promise<Opened>;
}

const whole = (path: string) => new URL(path, location.href).href; // workers lie in another folder
const remote = new Remote();
export const compiled = remote.ask('compile', [whole(wasm)]);
/** The page's own: it has rigs alone. */
export const engine = compiled.then((module) => Engine.load(module));
for (const path of ['session.json', 'tour.json']) askFor(path);

/** What the page begins with: a file, or a stop of the tour where nobody asked for one. */
export const beginning = Promise.all([session(), stops()]).then(([from, all]) => {
  const stop: Stop | null = from.demo && !from.examples && all.length > 0 ? all[0] : null;
  return { from, stops: all, stop };
});

let reading: { bytes: Uint8Array; opened: Promise<Opened> } | null = null;
const started = beginning.then(({ from, stop }) => {
  const path = stop?.model ?? from.model;
  const fetching = remote.ask('fetchFile', [whole(path)]);
  const opened = remote.ask('openFetched', [stop?.title ?? from.name]);
  opened.then(() => reached('file in the worker')).catch(() => {}); // whoever opens the file hears of it
  if (stop?.examples) {
    remote.askAhead('openExamples', [whole(stop.examples)]);
    remote.askAhead('contestOfExamples', [layersOf(defaultSettings([]))]);
  }
  askFor(path, fetching.then((bytes) => (reading = { bytes, opened }).bytes));
});

reached('first script');
compiled.then(() => reached('engine compiled'), () => {});
engine.then(() => reached('engine in the page'), () => {});
started.then(() => reached('first file named'), () => {});

/** The worker that has been given these bytes, if there is one; nobody else gets it. */
export function readAhead(bytes: Uint8Array): Ahead | null {
  if (reading?.bytes !== bytes) return null;
  const { opened } = reading;
  reading = null;
  return { remote, opened };
}
