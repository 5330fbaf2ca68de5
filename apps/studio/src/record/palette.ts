// The colours of a picture in few: a median cut of its histogram, and for every pixel the nearest one.

const bins = 32 * 32 * 32; // of the histogram: five bits a channel
const close = 12; // squared distance of a pixel to a colour that stands for it without dithering
const spread = 8; // of the dither: the width of a bin

export const binOf = (r: number, g: number, b: number): number => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

/** How often each bin has a pixel, and the sum of those pixels. */
interface Histogram {
  count: Uint32Array;
  sums: Float64Array; // r, g, b of each bin
  used: number[];
}

function histogramOf(pixels: Uint8ClampedArray, counts: (pixel: number) => boolean): Histogram {
  const result: Histogram = { count: new Uint32Array(bins), sums: new Float64Array(3 * bins), used: [] };
  for (let p = 0; p < pixels.length / 4; ++p) {
    if (!counts(p)) continue;
    const bin = binOf(pixels[4 * p], pixels[4 * p + 1], pixels[4 * p + 2]);
    if (result.count[bin]++ === 0) result.used.push(bin);
    for (let c = 0; c < 3; ++c) result.sums[3 * bin + c] += pixels[4 * p + c];
  }
  return result;
}

/** Some bins: how many pixels, and how far they are apart along the channel where that is most. */
interface Box {
  members: number[];
  channel: number;
  cost: number;
}

function boxOf({ count, sums }: Histogram, members: number[]): Box {
  let [channel, cost] = [0, -1];
  for (let c = 0; c < 3; ++c) {
    let [weight, sum, squares] = [0, 0, 0];
    for (const bin of members) {
      const value = sums[3 * bin + c] / count[bin];
      weight += count[bin];
      sum += count[bin] * value;
      squares += count[bin] * value * value;
    }
    const variance = squares - (sum * sum) / weight;
    if (variance > cost) [channel, cost] = [c, variance];
  }
  return { members, channel, cost: members.length > 1 ? cost : -1 };
}

/** Divides a box where half of its pixels are on either side. */
function halves(histogram: Histogram, { members, channel }: Box): [Box, Box] {
  const { count, sums } = histogram;
  const value = (bin: number) => sums[3 * bin + channel] / count[bin];
  const sorted = [...members].sort((a, b) => value(a) - value(b));
  const half = members.reduce((sum, bin) => sum + count[bin], 0) / 2;
  let [cut, passed] = [0, 0];
  while (cut < sorted.length - 1 && passed < half) passed += count[sorted[cut++]];
  cut = Math.max(cut, 1);
  return [boxOf(histogram, sorted.slice(0, cut)), boxOf(histogram, sorted.slice(cut))];
}

const bayer = Array.from({ length: 64 }, (_, i) => {
  const [x, y] = [i % 8, i >> 3];
  let value = 0;
  for (let bit = 0; bit < 3; ++bit) value |= (((((x ^ y) >> bit) & 1) << 1) | ((y >> bit) & 1)) << (2 * (2 - bit));
  return (value / 63 - 0.5) * spread;
});

export class Palette {
  readonly colours: Uint8Array; // r, g, b of each
  private readonly nearest = new Int16Array(bins).fill(-1);
  private readonly histogram: Histogram;

  /** Of the pixels (r, g, b, a) that count. */
  constructor(pixels: Uint8ClampedArray, most: number, counts: (pixel: number) => boolean) {
    const histogram = (this.histogram = histogramOf(pixels, counts));
    const boxes = histogram.used.length > 0 ? [boxOf(histogram, histogram.used)] : [];
    while (boxes.length > 0 && boxes.length < most) {
      const widest = boxes.reduce((best, box, i) => (box.cost > boxes[best].cost ? i : best), 0);
      if (boxes[widest].cost <= 0) break;
      boxes.splice(widest, 1, ...halves(histogram, boxes[widest]));
    }
    this.colours = Uint8Array.from(boxes.flatMap(({ members }) => {
      const weight = members.reduce((sum, bin) => sum + histogram.count[bin], 0);
      return [0, 1, 2].map((c) => Math.round(members.reduce((sum, bin) => sum + histogram.sums[3 * bin + c], 0) / weight));
    }));
  }

  /** Which colour a pixel at a place of the picture is drawn with. Flat areas stay flat; others are dithered, in the same way in every picture. */
  at(r: number, g: number, b: number, x: number, y: number): number {
    const plain = this.find(binOf(r, g, b));
    const [dr, dg, db] = [r - this.colours[3 * plain], g - this.colours[3 * plain + 1], b - this.colours[3 * plain + 2]];
    if (dr * dr + dg * dg + db * db <= close) return plain;
    const shift = bayer[(x & 7) | ((y & 7) << 3)];
    const moved = (value: number) => Math.min(Math.max(Math.round(value + shift), 0), 255);
    return this.find(binOf(moved(r), moved(g), moved(b)));
  }

  private find(bin: number): number {
    if (this.nearest[bin] >= 0) return this.nearest[bin];
    const { count, sums } = this.histogram;
    const of = (c: number) => (count[bin] > 0 ? sums[3 * bin + c] / count[bin] : ((bin >> (10 - 5 * c)) & 31) * 8 + 4);
    const [r, g, b] = [of(0), of(1), of(2)];
    let [best, least] = [0, Infinity];
    for (let i = 0; i < this.colours.length; i += 3) {
      const distance = (r - this.colours[i]) ** 2 + (g - this.colours[i + 1]) ** 2 + (b - this.colours[i + 2]) ** 2;
      if (distance < least) [best, least] = [i / 3, distance];
    }
    return (this.nearest[bin] = best);
  }
}
