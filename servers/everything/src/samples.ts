// A small image and a short sound, generated at start.
import { deflateSync } from 'node:zlib';

const crcTable = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});
function crc(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = crcTable[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc(body));
  return Buffer.concat([head, body, tail]);
}

const SIDE = 20;

/** A PNG of 20 by 20 pixels: a mortise and tenon joint. */
function drawImage(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows: number[] = [];
  for (let y = 0; y < SIDE; y++) {
    rows.push(0);
    for (let x = 0; x < SIDE; x++) {
      const inTongue = x >= 8 && x < 14 && y >= 7 && y < 13;
      const [red, green, blue] = x < 8 || inTongue ? [176, 122, 67] : [94, 62, 35];
      rows.push(red, green, blue);
    }
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const RATE = 8_000;
const SECONDS = 0.2;

/** A WAV file with a tone of 440 Hz. */
function playTone(): Buffer {
  const count = RATE * SECONDS;
  const wav = Buffer.alloc(44 + count);
  wav.write('RIFF', 0, 'latin1').toString();
  wav.writeUInt32LE(36 + count, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(count, 40);
  for (let at = 0; at < count; at++) wav[44 + at] = 128 + Math.round(100 * Math.sin((2 * Math.PI * 440 * at) / RATE));
  return wav;
}

export const IMAGE: Uint8Array = drawImage();
export const SOUND: Uint8Array = playTone();
