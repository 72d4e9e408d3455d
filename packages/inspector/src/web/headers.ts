// Security headers: which scripts may run, and how other origins may use a response.

/** Sent with every response. No CORS header is ever sent. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'cache-control': 'no-store',
  'x-dns-prefetch-control': 'off',
};

/** For responses other than the page: if a browser shows one as a document, nothing in it runs. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox";

const DENIED_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];
export const PERMISSIONS = DENIED_FEATURES.map((feature) => `${feature}=()`).join(', ');

/**
 * For the page. `sandbox`: the origin that it may embed. Style elements that scripts create need the nonce, which is in the page.
 */
export function pagePolicy(nonce: string, sandbox: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    'media-src data: blob:',
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${sandbox}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
