// The frame in which HTML from servers is shown. Its origin is not that of the inspector, and the HTML is in a nested frame with
// an opaque origin: its scripts can access neither this page nor the inspector, and cannot leave the frame.

/** The document of the frame: the same for every request. */
export const SANDBOX_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>HTML of a server</title>
<style>html,body{height:100%;margin:0}iframe{width:100%;height:100%;border:0;display:block}</style>
<body>
<script src="/frame.js"></script>
</body>
</html>
`;

/**
 * Receives the HTML from the inspector, and forwards messages between the two, except those about the frame itself (MCP Apps
 * 2026-01-26, Sandbox proxy).
 */
export const SANDBOX_SCRIPT = `'use strict';
(() => {
  const page = new URLSearchParams(location.search).get('page');
  const inspector = window.parent;
  // Opened as a top-level page it does nothing.
  if (inspector === window || page === null) return;

  const OWN = 'ui/notifications/sandbox-';
  const isMessage = (data) => typeof data === 'object' && data !== null && data.jsonrpc === '2.0';
  const isOwn = ({ method }) => typeof method === 'string' && method.startsWith(OWN);
  let inner;

  const remove = () => {
    if (inner !== undefined) inner.remove();
    inner = undefined;
  };

  const show = ({ html, scripts }) => {
    remove();
    const frame = document.createElement('iframe');
    // Never with allow-same-origin, whatever is requested: HTML with scripts must have an opaque origin.
    frame.setAttribute('sandbox', scripts === false ? '' : 'allow-scripts');
    frame.setAttribute('allow', '');
    frame.setAttribute('referrerpolicy', 'no-referrer');
    frame.title = 'HTML of a server';
    frame.srcdoc = html;
    let loaded = false;
    frame.addEventListener('load', () => {
      // It navigated: the new document must not get messages meant for the app.
      if (loaded && inner === frame) {
        remove();
        inspector.postMessage({ jsonrpc: '2.0', method: OWN + 'left', params: {} }, page);
      }
      loaded = true;
    });
    inner = frame;
    document.body.append(frame);
  };

  window.addEventListener('message', ({ data, source, origin }) => {
    if (!isMessage(data)) return;
    if (source === inspector && origin === page) {
      const { method, params } = data;
      if (method === OWN + 'resource-ready') {
        if (typeof params === 'object' && params !== null && typeof params.html === 'string') show(params);
      } else if (!isOwn(data) && inner !== undefined) {
        // Its origin is opaque, and cannot be named.
        inner.contentWindow.postMessage(data, '*');
      }
    } else if (inner !== undefined && source === inner.contentWindow && origin === 'null' && !isOwn(data)) {
      inspector.postMessage(data, page);
    }
  });

  inspector.postMessage({ jsonrpc: '2.0', method: OWN + 'proxy-ready', params: {} }, page);
})();
`;
