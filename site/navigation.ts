// The pages of the documentation site, in the order of its navigation. A test fails for a Markdown file that is not here, and for a
// line without a file.

/**
 * The Markdown file of a page, from the root of the repository, and its title in the navigation. `about` describes the page if its first
 * sentence does not.
 */
type Entry = readonly [path: string, title: string, about?: string];

/** A group of pages. */
export interface Section {
  readonly title: string;
  readonly pages: readonly Entry[];
}

export const NAVIGATION: readonly Section[] = [
  {
    title: 'Start',
    pages: [
      [
        'README.md',
        'What is Tenon?',
        'An overview with a server, a client, a question to the user, a test, a host, and what works in which revision.',
      ],
      [
        'docs/getting-started.md',
        'Getting started',
        'From a clone to a server that a host uses: write it, list and call its tools, connect from code, test it.',
      ],
      [
        'docs/wrap-an-api.md',
        'Tutorial: wrap an API',
        'A server for a web API in 40 lines, with a token, limits, retries and tests.',
      ],
      ['docs/init.md', 'Create a project'],
      ['docs/typescript.md', 'Run TypeScript'],
      ['docs/hosts.md', 'Use a server in a host'],
      ['docs/migrating.md', 'Move from the official SDK'],
      ['docs/why.md', 'When to use Tenon'],
      ['examples/README.md', 'Examples'],
      ['examples/travel/README.md', 'Example: plan a trip'],
    ],
  },
  {
    title: 'Write a server',
    pages: [
      [
        'docs/servers.md',
        'Servers',
        'What a server consists of, and how it is served, combined and changed at run time.',
      ],
      ['docs/tools.md', 'Tools'],
      ['docs/resources.md', 'Resources'],
      ['docs/prompts.md', 'Prompts'],
      ['docs/asking.md', 'Ask the user or the model'],
      ['docs/tasks.md', 'Tasks', 'Calls that take minutes or hours, on servers and clients.'],
      ['docs/schemas.md', 'Schemas'],
      ['docs/pagination.md', 'Pagination'],
      ['docs/logging.md', 'Logging'],
      ['docs/middleware.md', 'Middleware', 'Code around calls: rate limits, logs, audit, state for handlers.'],
      ['docs/telemetry.md', 'Telemetry'],
      ['docs/skills.md', 'Skills'],
      ['docs/apps.md', 'Apps', 'Pages beside the results of tools, for authors of servers and hosts.'],
    ],
  },
  {
    title: 'Write a client',
    pages: [
      [
        'docs/client.md',
        'Clients',
        'Connecting, calling tools, reading resources, watching for changes, and answering the server.',
      ],
      ['docs/roots.md', 'Roots'],
      ['docs/caching.md', 'Caching'],
      ['docs/transports.md', 'Transports'],
      ['docs/testing.md', 'Testing', 'Tests of servers and clients, on any revision, without sockets.'],
    ],
  },
  {
    title: 'Write a host',
    pages: [
      ['docs/host.md', 'Hosts'],
      ['docs/chat.md', 'Chat in the terminal'],
    ],
  },
  {
    title: 'Deploy',
    pages: [
      ['docs/deploy.md', 'Deploy a server'],
      [
        'docs/frameworks.md',
        'Express, Fastify, Hono',
        'An MCP server in a web application that you have, with host names, logins and what to look out for.',
      ],
      ['docs/serverless.md', 'Serverless'],
      ['docs/http.md', 'HTTP', 'Serving over HTTP: on a port, in frameworks, in workers, on several nodes.'],
      ['docs/stores.md', 'Stores'],
      ['docs/scaling.md', 'Scaling', 'Several nodes: what to share, what it costs, how far one database carries.'],
    ],
  },
  {
    title: 'Security',
    pages: [
      ['docs/auth.md', 'Authorization', 'OAuth: logging in as a client, storing tokens, protecting a server.'],
      ['docs/providers.md', 'Identity providers'],
      [
        'docs/keys.md',
        'Keys',
        'Keys that encrypt state: how to rotate them, and what to do when one was stolen or lost.',
      ],
      ['SECURITY.md', 'Report a vulnerability', 'How to report a vulnerability, and what counts as one.'],
    ],
  },
  {
    title: 'Debug',
    pages: [
      ['docs/troubleshooting.md', 'Troubleshooting'],
      ['docs/debugging.md', 'Debugging'],
      ['docs/cli.md', 'The tenon command'],
      [
        'docs/inspector.md',
        'Inspector',
        'All messages between a client and a server, and a form for each tool, in the browser.',
      ],
      ['docs/inspector-blame.md', 'Which side is at fault'],
      ['docs/inspector-rules.md', 'Lint rules and changes'],
      ['docs/trace.md', 'Traces'],
      ['docs/inspector-compared.md', 'Inspectors compared'],
    ],
  },
  {
    title: 'Included servers',
    pages: [
      ['servers/README.md', 'All servers'],
      ['servers/aws-kb-retrieval/README.md', 'aws-kb-retrieval'],
      ['servers/brave-search/README.md', 'brave-search'],
      ['servers/everart/README.md', 'everart'],
      ['servers/everything/README.md', 'everything'],
      ['servers/fetch/README.md', 'fetch'],
      ['servers/filesystem/README.md', 'filesystem'],
      ['servers/gdrive/README.md', 'gdrive'],
      ['servers/git/README.md', 'git'],
      ['servers/github/README.md', 'github'],
      ['servers/gitlab/README.md', 'gitlab'],
      ['servers/google-maps/README.md', 'google-maps'],
      ['servers/memory/README.md', 'memory'],
      ['servers/postgres/README.md', 'postgres'],
      ['servers/puppeteer/README.md', 'puppeteer'],
      ['servers/redis/README.md', 'redis'],
      ['servers/sentry/README.md', 'sentry'],
      ['servers/sequential-thinking/README.md', 'sequential-thinking'],
      ['servers/slack/README.md', 'slack'],
      ['servers/sqlite/README.md', 'sqlite'],
      ['servers/time/README.md', 'time'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/features.md', 'Features'],
      ['docs/errors.md', 'Errors', 'All codes and classes of errors, and what to do about them.'],
      ['docs/limits.md', 'Limits', 'All limits with their defaults.'],
      [
        'docs/revisions.md',
        'Revisions',
        'The five revisions of the protocol, and what Tenon does about their differences.',
      ],
      ['docs/glossary.md', 'Glossary'],
    ],
  },
  {
    title: 'Packages',
    pages: [
      ['packages/sdk/README.md', 'tenon'],
      ['packages/host/README.md', '@tenon/host'],
      ['packages/store/README.md', '@tenon/store'],
      ['packages/auth-proxy/README.md', '@tenon/auth-proxy'],
      ['packages/skills/README.md', '@tenon/skills'],
      ['packages/inspector/README.md', '@tenon/inspector'],
      ['packages/cli/README.md', '@tenon/cli'],
    ],
  },
  {
    title: 'Project',
    pages: [
      ['docs/principles.md', 'Principles'],
      ['docs/architecture.md', 'Architecture'],
      ['docs/decisions/json-schema-validator.md', 'Decision: JSON Schema validator'],
      ['docs/decisions/documentation.md', 'Documentation beside others'],
      [
        'docs/performance.md',
        'Performance',
        'The cost of a call, compared with the bare runtime, a hand-written server and other libraries.',
      ],
      ['docs/interop.md', 'Interoperability'],
      ['CONTRIBUTING.md', 'Contributing', 'How to build, test and change Tenon.'],
      [
        'packages/inspector/ui/README.md',
        'Web UI of the inspector',
        'How the page of the inspector is made, and how to add a screen.',
      ],
      ['packages/sdk/test/oracle/README.md', 'Wire oracle of the tests'],
      ['DEPENDENCY_POLICY.md', 'Dependencies', 'Which packages Tenon depends on, and why.'],
      ['VERSIONING.md', 'Versions'],
      ['CHANGELOG.md', 'Changelog'],
      ['ROADMAP.md', 'Roadmap'],
    ],
  },
];

/** The paths of all pages, in the order of the navigation. */
export const PAGES: readonly string[] = NAVIGATION.flatMap(({ pages }) => pages.map(([path]) => path));

/** The path of a page on the site, with the ending of a Markdown file. A README is the index of its folder, except that of the repository. */
export function sitePath(page: string): string {
  return page.replace(/\/README\.md$/, '/index.md');
}
