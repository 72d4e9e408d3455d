import { resource } from 'tenon';

/** Documentation of this server, served as resources. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'architecture.md': `# Architecture

One server value, made once, has all tools, resources and prompts. The transport (stdio, HTTP) negotiates the revision with each client;
tools do not depend on it.
`,
  'extension.md': `# Adding something

A tool is a value in the table of tools: \`tool({ description, input }, handler)\`. Put it there under its name, and write a row of the test
table for it.
`,
  'features.md': `# Features

- tools: text, images, sounds, embedded resources, links, structured output, annotations, progress, cancellation, errors
- client features: forms with every kind of field, URL elicitation, sampling, roots, several requests at once
- resources: static, templates with completion, of one session, subscriptions
- prompts: without and with arguments, completion that depends on another argument, embedded resources
- logging, list changes, instructions
`,
  'how-it-works.md': `# How it works

In revisions before 2026-07-28 a handler that asks the user waits for the answer. From 2026-07-28 on it is run again from the top with the
answers. The same handler works in both.
`,
  'instructions.md': `# Instructions

Use the tool \`echo\` to test the connection, \`get-structured-content\` for structured output, and
\`trigger-elicitation-request\` for an elicitation form.
`,
  'startup.md': `# Start

\`tenon run everything\` serves on stdin and stdout, \`tenon run everything --http 3001\` over HTTP on a local port.
`,
  'structure.md': `# Structure

\`tools.ts\` has the tools that ask nothing, \`asking.ts\` those that use client features, \`files.ts\` the files of one client,
\`dynamic.ts\` and \`documents.ts\` the resources, \`prompts.ts\` the prompts.
`,
};

export const INSTRUCTIONS: string = DOCUMENTS['instructions.md']!;

export function documentResources() {
  return Object.fromEntries(
    Object.entries(DOCUMENTS).map(([name, text]) => [
      `demo://resource/static/document/${name}`,
      resource(
        { name, mimeType: 'text/markdown', description: `Static document: ${name}`, size: Buffer.byteLength(text) },
        () => text,
      ),
    ]),
  );
}
