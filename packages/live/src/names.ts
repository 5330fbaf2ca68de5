// The name that was probably meant.

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    const next = [i];
    for (let j = 1; j <= b.length; ++j)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length];
}

/** As a remedy. The name comes from outside and may be long: only so much of it is looked at as can matter. */
export function suggestion(name: string, known: Iterable<string>): string {
  const asked = name.slice(0, 100);
  let best = '';
  let least = Infinity;
  for (const candidate of known) {
    const distance = editDistance(asked.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return least <= best.length / 2 ? `did you mean '${best}'?` : `known are ${[...known].slice(0, 8).join(', ')} ...`;
}

/** For messages: a name from outside, cut to a length that can be shown. */
export const shown = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}...` : name);
