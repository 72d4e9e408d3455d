// Reads Markdown: its headings with their anchors, and its links. Code is never taken for either.

/** Calls `change` with each part of the text that is not code, and puts its results in place of the parts. */
function changeOutsideCode(text: string, change: (part: string) => string): string {
  let fence: string | undefined;
  return text
    .split('\n')
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence !== undefined) {
        if (mark !== undefined && line.trim() === fence) fence = undefined;
        return line;
      }
      if (mark !== undefined) {
        fence = mark;
        return line;
      }
      // The odd parts are code spans.
      return line
        .split(/(`+[^`]*`+)/)
        .map((part, at) => (at % 2 === 0 ? change(part) : part))
        .join('');
    })
    .join('\n');
}

const LINK = /(\]\()([^)\s]+)(\))/g;

/** The targets of all links and images of a page. */
export function linksOf(text: string): string[] {
  const links: string[] = [];
  changeOutsideCode(text, (part) => {
    links.push(...[...part.matchAll(LINK)].map(([, , target = '']) => target));
    return part;
  });
  return links;
}

/** Replaces the targets of all links and images of a page. */
export function changeLinks(text: string, change: (target: string) => string): string {
  return changeOutsideCode(text, (part) =>
    part.replaceAll(LINK, (_, open: string, target: string, close: string) => open + change(target) + close),
  );
}

/** The anchor of a heading, as on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The anchors of a page. Of several equal headings, the second gets `-1`. */
export function anchorsOf(text: string): string[] {
  const counts = new Map<string, number>();
  return headingsOf(text).map((heading) => {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function headingsOf(text: string): string[] {
  const headings: string[] = [];
  let fenced = false;
  for (const line of text.split('\n')) {
    if (/^\s*(`{3,}|~{3,})/.test(line)) fenced = !fenced;
    else if (!fenced) headings.push(...(/^#+ (.*)$/.exec(line)?.slice(1) ?? []));
  }
  return headings;
}

/** The title of a page, and its first sentence as plain text. */
export function summaryOf(text: string): { readonly title: string; readonly description: string } {
  const paragraph = text
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/^(`{3,})[\s\S]*?^\1$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim().replaceAll('\n', ' '))
    .find((block) => /^[\p{L}`[*]/u.test(block));
  const plain = (paragraph ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');
  return { title: headingsOf(text)[0] ?? '', description: /^.*?\.(?= [\p{Lu}\d]|$)/u.exec(plain)?.[0] ?? plain };
}
