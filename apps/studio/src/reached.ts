// When the parts of the page's beginning were done, for the browser's timeline and tools/first_frame.mjs.

/** Only the first time counts. */
export function reached(part: string): void {
  const name = `studio: ${part}`;
  if (performance.getEntriesByName(name).length === 0) performance.mark(name);
}
