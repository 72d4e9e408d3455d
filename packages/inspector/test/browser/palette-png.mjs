// Reduces a screenshot of Chromium to a palette: pages have few colours, so one byte for each pixel is enough.

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLOURS = 256;

function chunksOf(png) {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** The pixels of a screenshot as Chromium writes it: 8 bits for each of 3 or 4 channels, not interlaced. */
function pointsOf(png) {
  const chunks = chunksOf(png);
  const head = chunks.find(({ type }) => type === 'IHDR').data;
  const [width, height, depth, kind] = [head.readUInt32BE(0), head.readUInt32BE(4), head[8], head[9]];
  const channels = { 2: 3, 6: 4 }[kind];
  if (depth !== 8 || channels === undefined || head[12] !== 0) throw new Error('This is no picture of Chromium');
  const raw = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const stride = width * channels;
  const points = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? points[at - channels] : 0;
      const up = y > 0 ? points[at - stride] : 0;
      const corner = x >= channels && y > 0 ? points[at - stride - channels] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      points[at] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return { width, height, channels, points };
}

/** The same picture with a palette of its most frequent colours; each other colour becomes the nearest of them. */
export function palettePng(png) {
  const { width, height, channels, points } = pointsOf(png);
  const colourAt = (n) => points.readUIntBE(n * channels, 3);
  const counts = new Map();
  for (let n = 0; n < width * height; n++) counts.set(colourAt(n), (counts.get(colourAt(n)) ?? 0) + 1);
  const palette = [...counts]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, MOST_COLOURS)
    .map(([colour]) => colour);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const parts = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];
  const nearest = (colour) => {
    const [r, g, b] = parts(colour);
    let best = 0;
    let least = Infinity;
    for (const [place, other] of palette.entries()) {
      const [red, green, blue] = parts(other);
      const distance = 2 * (red - r) ** 2 + 4 * (green - g) ** 2 + 3 * (blue - b) ** 2;
      if (distance < least) [best, least] = [place, distance];
    }
    return best;
  };
  const lines = Buffer.alloc((width + 1) * height);
  for (let n = 0; n < width * height; n++) {
    const colour = colourAt(n);
    if (!places.has(colour)) places.set(colour, nearest(colour));
    lines[n + Math.floor(n / width) + 1] = places.get(colour);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', head),
    chunk('PLTE', Buffer.from(palette.flatMap(parts))),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
