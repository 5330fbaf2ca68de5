// The files of an example set that a server offers.

/** Their bytes by name, as many as arrive; `tell` hears what share of the set has come. */
export async function exampleFiles(folder: string, tell: (share: number) => void): Promise<Map<string, Uint8Array>> {
  const index = await read(new URL('examples.json', folder), () => {});
  const { translations, scales } = JSON.parse(new TextDecoder().decode(index)) as { translations?: boolean; scales?: boolean };
  const names = ['rest_positions', 'rest_normals', 'triangles', 'rotations', 'positions', 'normals'];
  if (translations) names.push('translations');
  if (scales) names.push('scales');
  const files = new Map([['examples.json', index]]);
  const come = names.map(() => ({ bytes: 0, of: 0 }));
  const report = () => tell(come.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, come.reduce((sum, { of }) => sum + of, 0)));
  await Promise.all(names.map(async (name, i) => {
    const bytes = await read(new URL(`${name}.npy`, folder), (now, of) => {
      come[i] = { bytes: now, of };
      report();
    });
    files.set(`${name}.npy`, bytes);
  }));
  return files;
}

async function read(address: URL, tell: (bytes: number, of: number) => void): Promise<Uint8Array> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address.pathname}: ${response.status} ${response.statusText}`);
  const of = Number(response.headers.get('content-length')) || 0;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    bytes += piece.value.length;
    tell(bytes, Math.max(bytes, of));
  }
  const whole = new Uint8Array(bytes);
  pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
  return whole;
}
