function isJsonRpc(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { jsonrpc?: unknown }).jsonrpc === '2.0';
}

const BYTE_ORDER_MARK = '\ufeff';

/** Returns whether a text claims to be a JSON-RPC message, valid or not, or a batch of them. A byte order mark is ignored. */
export function saysJsonRpc(text: string): boolean {
  // Much cheaper than parsing text that is not JSON-RPC.
  if (!text.includes('jsonrpc') && !text.includes('\\u')) return false;
  try {
    const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
    return Array.isArray(value) ? value.length > 0 && value.every(isJsonRpc) : isJsonRpc(value);
  } catch {
    return false;
  }
}
