// `llms.txt` (https://llmstxt.org): the pages of the site as a list for models, with links to their Markdown. `llms-full.txt`: their texts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/lib/files.ts';
import { summaryOf } from '../scripts/lib/markdown.ts';
import { apiPage, entryPoints } from './entry-points.ts';
import { DIST } from './folders.ts';
import { NAVIGATION, PAGES, type Section } from './navigation.ts';

/** Sections that a model can leave out: about work on Tenon itself. `Optional` is a word of the format. */
const OPTIONAL = new Set(['Packages', 'Project']);

const SUMMARY =
  'Tenon implements the Model Context Protocol in TypeScript: servers, clients, hosts, an inspector and the `tenon` command, in all five revisions of the protocol.';

const NOTES = `- A server is a value: \`server({ name, version, tools, resources, prompts })\` of \`tenon\`. Transports serve it: \`serveStdio\` and \`serveHttp\` of \`tenon/node\`, \`serveFetch\` of \`tenon/http\`.
- A client is \`await connect(target)\` of \`tenon/client\`. The target is a server value, a URL, or a command: \`{ command, args }\`.
- The revision of the protocol is negotiated. Handlers and calls are the same in every revision.
- Tenon is ESM only and needs Node 20.19 or newer; \`@tenon/host\` needs Node 22 or newer. It is not published on npm yet.
- [llms-full.txt](/llms-full.txt) has the texts of all these pages except the API reference.`;

function line(title: string, path: string, about: string): string {
  return `- [${title}](/${path}): ${about}`;
}

function firstSentence(file: string): string {
  return summaryOf(readFileSync(file, 'utf8')).description;
}

function section({ title, pages }: Section): string {
  const lines = pages.map(([path, name, about]) => line(name, path, about ?? firstSentence(join(root, path))));
  return `## ${title}\n\n${lines.join('\n')}\n`;
}

function apiSection(): string {
  const lines = entryPoints().map((entry) => {
    const path = apiPage(entry);
    return line(entry.name, path, firstSentence(join(DIST, path)));
  });
  return `## API reference\n\n${lines.join('\n')}\n`;
}

function indexText(): string {
  const optional: Section = {
    title: 'Optional',
    pages: NAVIGATION.filter(({ title }) => OPTIONAL.has(title)).flatMap(({ pages }) => pages),
  };
  const sections = NAVIGATION.filter(({ title }) => !OPTIONAL.has(title)).map(section);
  return [`# Tenon\n\n> ${SUMMARY}\n\n${NOTES}\n`, ...sections, apiSection(), section(optional)].join('\n');
}

function fullText(): string {
  const texts = PAGES.map(
    (path) => `<!-- The page /${path}. Its links are relative to it. -->\n\n${readFileSync(join(root, path), 'utf8')}`,
  );
  return texts.join('\n');
}

/** Writes both files into the finished site, which has the Markdown of the API reference already. */
export function writeLlmsTexts(): void {
  writeFileSync(join(DIST, 'llms.txt'), indexText());
  writeFileSync(join(DIST, 'llms-full.txt'), fullText());
}
