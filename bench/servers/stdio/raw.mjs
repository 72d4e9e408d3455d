// The floor: the least that these answers cost. It parses each line and answers it, checks nothing, and writes all answers of a turn at
// once, past the stream of stdout.
import { writeSync } from 'node:fs';
import { BIG } from '../../tools.mjs';

const info = { name: 'raw', version: '1' };
const MORE = ',"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"raw","version":"1"}}';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

function answer({ id, method, params }) {
  if (id === undefined) return '';
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    return `${head}${JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: info })}}\n`;
  }
  const text = params.name === 'big' ? BIG : params.arguments.text;
  const more = params._meta?.[VERSION] === undefined ? '' : MORE;
  return `${head}{"content":[{"type":"text","text":${JSON.stringify(text)}}]${more}}}\n`;
}

/** Small answers go out past the stream, unless it still holds something. All texts of the benchmark are ASCII: a character is a byte. */
function write(text) {
  let written = 0;
  if (text.length < 65_536 && process.stdout.writableLength === 0)
    try {
      written = writeSync(1, text, undefined, 'latin1');
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  if (written < text.length) process.stdout.write(text.slice(written), 'latin1');
}

let rest = '';
process.stdin.setEncoding('latin1');
process.stdin.on('data', (chunk) => {
  const text = rest + chunk;
  let out = '';
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    out += answer(JSON.parse(text.slice(start, end)));
    start = end + 1;
  }
  rest = text.slice(start);
  if (out !== '') write(out);
});
