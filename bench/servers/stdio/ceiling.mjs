// The ceiling over stdio: one server by hand, with the checks of messages that the protocol asks for.
import process from 'node:process';
import {
  agree,
  answer,
  checkClaim,
  envelope,
  idOf,
  initialized,
  MODERN,
  MOST,
  readMessage,
  refusal,
} from '../ceiling.mjs';

let agreed;
let out = '';
function notify(text) {
  out += `${text}\n`;
}

function outcomeOf(message) {
  if (message.modern) return checkClaim(message) ?? answer(message, notify);
  if (message.method === 'initialize') {
    if (agreed !== undefined) return refusal(-32600, 'It is initialized already');
    const version = agree(message.params);
    if (typeof version !== 'string') return version;
    agreed = version;
    return initialized(version);
  }
  if (agreed !== undefined || message.method === 'ping') return answer(message, notify);
  return refusal(-32602, `Send initialize, or a claim in _meta; versions: ${MODERN} and before`);
}

function serveLine(line) {
  if (line === '') return;
  let value;
  try {
    value = JSON.parse(line);
  } catch {
    return notify(envelope(undefined, refusal(-32700, 'The line is not JSON')));
  }
  const message = readMessage(value);
  if (message.refused !== undefined) return notify(envelope(idOf(value), message.refused));
  if (message.ignored || message.id === undefined) return;
  notify(envelope(message.id, outcomeOf(message)));
}

/** Leaves the rest of a line that is too long. */
let tooLong = false;
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const text = rest + chunk;
  let start = 0;
  for (let end = text.indexOf('\n', rest.length); end !== -1; end = text.indexOf('\n', start)) {
    if (tooLong) tooLong = false;
    else serveLine(text.slice(start, text[end - 1] === '\r' ? end - 1 : end));
    start = end + 1;
  }
  rest = tooLong ? '' : text.slice(start);
  if (rest.length > MOST) {
    tooLong = true;
    rest = '';
    notify(envelope(undefined, refusal(-32600, 'The line is too long')));
  }
  if (out === '') return;
  // A client that does not read is not read from either.
  if (!process.stdout.write(out)) {
    process.stdin.pause();
    process.stdout.once('drain', () => process.stdin.resume());
  }
  out = '';
});
process.stdin.on('end', () => process.exit(0));
