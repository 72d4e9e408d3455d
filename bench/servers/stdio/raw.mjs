// The floor: parses each line, answers it, checks nothing.
let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  rest += chunk;
  let out = '';
  for (let end = rest.indexOf('\n'); end !== -1; end = rest.indexOf('\n')) {
    const { id, method, params } = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    if (id === undefined) continue;
    const result =
      method === 'initialize'
        ? {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'raw', version: '1' },
          }
        : {
            content: [{ type: 'text', text: String(params?.arguments?.text) }],
            resultType: 'complete',
            _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'raw', version: '1' } },
          };
    out += `${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`;
  }
  if (out !== '') process.stdout.write(out);
});
