// Preloaded into an original: its requests to fixed addresses go to another one. REDIRECT is JSON: { "<origin>": "<other origin>" }.
import http from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

/** @type {Record<string, string>} */
const targets = JSON.parse(process.env['REDIRECT'] ?? '{}');

/** @param {string | URL} address */
function redirected(address) {
  const url = new URL(address);
  const target = targets[url.origin];
  return target === undefined ? undefined : new URL(url.pathname + url.search, target);
}

const ownFetch = globalThis.fetch;
globalThis.fetch = (input, init) => {
  const isRequest = input instanceof Request;
  const url = redirected(isRequest ? input.url : input);
  if (url === undefined) return ownFetch(input, init);
  return isRequest ? ownFetch(new Request(url, input), init) : ownFetch(url, init);
};

const ownRequest = https.request;
/** @param {any[]} args the arguments of `https.request` */
function request(...args) {
  const hasUrl = typeof args[0] === 'string' || args[0] instanceof URL;
  const options = (hasUrl ? args[1] : args[0]) ?? {};
  const rest = hasUrl ? args.slice(typeof args[1] === 'object' ? 2 : 1) : args.slice(1);
  const host = options.hostname ?? options.host;
  const url = redirected(hasUrl ? args[0] : `https://${host}${options.port ? `:${options.port}` : ''}${options.path}`);
  if (url === undefined) return Reflect.apply(ownRequest, https, args);
  const { hostname, port, pathname, search } = url;
  const { agent: _agent, protocol: _protocol, host: _host, ...kept } = typeof options === 'object' ? options : {};
  return http.request({ ...kept, protocol: 'http:', hostname, port, path: pathname + search }, ...rest);
}
https.request = /** @type {any} */ (request);
https.get = /** @type {any} */ ((/** @type {any[]} */ ...args) => request(...args).end());
syncBuiltinESMExports();
