// Encoded pictures as a WebM file (Matroska with one track of video): header, index, pictures.

/** A picture as a codec gave it. */
export interface EncodedPicture {
  bytes: Uint8Array;
  milliseconds: number; // from the beginning
  key: boolean; // it needs none of those before
}
export interface Video {
  codec: 'V_VP8' | 'V_VP9';
  width: number;
  height: number;
  milliseconds: number; // that it lasts
  pictures: readonly EncodedPicture[]; // in order, the first a key
}

type Element = Uint8Array | Element[];

function flat(element: Element): Uint8Array[] {
  return element instanceof Uint8Array ? [element] : element.flatMap(flat);
}
const sizeOf = (element: Element): number => flat(element).reduce((sum, piece) => sum + piece.length, 0);

function unsigned(value: number, bytes = 1): Uint8Array {
  const needed = Math.max(bytes, Math.ceil(Math.log2(value + 1) / 8));
  return Uint8Array.from({ length: needed }, (_, i) => Math.floor(value / 256 ** (needed - 1 - i)) % 256);
}
const text = (value: string) => new TextEncoder().encode(value);
function real(value: number): Uint8Array {
  const result = new Uint8Array(8);
  new DataView(result.buffer).setFloat64(0, value);
  return result;
}

/** An element: its number, its size in eight bytes (so that places are known before contents), and what it holds. */
function element(id: number, ...contents: Element[]): Element {
  const size = unsigned(sizeOf(contents), 8);
  size[0] = 0x01;
  return [unsigned(id), size, contents];
}

/** Pictures from one key to before the next: players can begin at each. */
function groupsOf(pictures: readonly EncodedPicture[]): EncodedPicture[][] {
  const result: EncodedPicture[][] = [];
  for (const picture of pictures) {
    const first = result[result.length - 1]?.[0];
    if (!first || picture.key || picture.milliseconds - first.milliseconds > 30_000) result.push([picture]); // 16 bits hold 32 s
    else result[result.length - 1].push(picture);
  }
  return result;
}

function clusterOf(group: readonly EncodedPicture[]): Element {
  const start = group[0].milliseconds;
  const blocks = group.map(({ bytes, milliseconds, key }) => element(0xa3, Uint8Array.from([0x81, (milliseconds - start) >> 8, (milliseconds - start) & 255, key ? 0x80 : 0]), bytes));
  return element(0x1f43b675, element(0xe7, unsigned(start)), ...blocks);
}

export function webm({ codec, width, height, milliseconds, pictures }: Video): Blob {
  const header = element(
    0x1a45dfa3, element(0x4286, unsigned(1)), element(0x42f7, unsigned(1)), element(0x42f2, unsigned(4)), element(0x42f3, unsigned(8)),
    element(0x4282, text('webm')), element(0x4287, unsigned(4)), element(0x4285, unsigned(2)),
  );
  const app = text('Supple studio');
  const info = element(0x1549a966, element(0x2ad7b1, unsigned(1_000_000)), element(0x4489, real(milliseconds)), element(0x4d80, app), element(0x5741, app)); // times are milliseconds
  const shown = element(0xe0, element(0xb0, unsigned(width)), element(0xba, unsigned(height)));
  const track = element(0xae, element(0xd7, unsigned(1)), element(0x73c5, unsigned(1)), element(0x9c, unsigned(0)), element(0x83, unsigned(1)), element(0x86, text(codec)), shown);
  const tracks = element(0x1654ae6b, track);
  const groups = groupsOf(pictures);
  const clusters = groups.map(clusterOf);
  const index = (places: readonly number[]) =>
    element(0x1c53bb6b, ...groups.map(([first], i) =>
      element(0xbb, element(0xb3, unsigned(first.milliseconds, 8)), element(0xb7, element(0xf7, unsigned(1)), element(0xf1, unsigned(places[i], 8)))),
    ));
  // Places count from the first element of the segment.
  let place = sizeOf([info, tracks, index(groups.map(() => 0))]);
  const places = clusters.map((cluster) => {
    const own = place;
    place += sizeOf(cluster);
    return own;
  });
  const segment = element(0x18538067, info, tracks, index(places), ...clusters);
  return new Blob(flat([header, segment]) as Uint8Array<ArrayBuffer>[], { type: 'video/webm' });
}
