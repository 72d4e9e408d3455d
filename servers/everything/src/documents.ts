import { resource } from 'tenon';

/** What this server says about itself, as resources. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'architecture.md': `# Architecture

One server value, made once, has all tools, resources and prompts. Whoever serves it (stdio, HTTP) decides which revision is spoken with
whom; no tool knows.
`,
  'extension.md': `# Adding something

A tool is a value in the table of tools: \`tool({ description, input }, handler)\`. Put it there under its name, and write a row of the test
table for it.
`,
  'features.md': `# Features

- tools: text, images, sounds, embedded resources, links, structured output, annotations, progress, cancellation, errors
- questions to the client: forms with every kind of field, pages to visit, the model, roots, several at once
- resources: static, templates with completion, of one session, subscriptions
- prompts: without and with arguments, completion that depends on another argument, embedded resources
- logging, list changes, instructions
`,
  'how-it-works.md': `# How it works

A handler that asks the user waits in the revisions before 2026-07-28, and is run again from the top with the answers since then. It is
written once.
`,
  'instructions.md': `# Instructions

Use the tool \`echo\` to see whether there is a connection, \`get-structured-content\` for structured output, and
\`trigger-elicitation-request\` to be asked something.
`,
  'startup.md': `# Start

\`tenon run everything\` serves on stdin and stdout, \`tenon run everything --http 3001\` over HTTP on this machine.
`,
  'structure.md': `# Structure

\`tools.ts\` has what only answers, \`asking.ts\` what asks the client, \`files.ts\` what is kept for one client, \`dynamic.ts\` and
\`documents.ts\` the resources, \`prompts.ts\` the prompts.
`,
};

export const INSTRUCTIONS: string = DOCUMENTS['instructions.md']!;

export const documentResources = () =>
  Object.fromEntries(
    Object.entries(DOCUMENTS).map(([name, text]) => [
      `demo://resource/static/document/${name}`,
      resource(
        { name, mimeType: 'text/markdown', description: `Static document: ${name}`, size: Buffer.byteLength(text) },
        () => text,
      ),
    ]),
  );
