import { CREDENTIALS, passage, StandIn } from '../servers/aws-kb-retrieval/src/fixtures/stand-in.ts';
import type { Comparison, Result } from './comparison.ts';
import { startHttp2Bridge } from './http2-bridge.ts';

/** The context and the sources, which both servers give as texts. */
function read({ content }: Result): unknown {
  const textAfter = (start: string): string | undefined =>
    content.find(({ text }) => text?.startsWith(start))?.text?.slice(start.length);
  const sources = textAfter('RAG Sources: ');
  // The original says this instead of an error.
  if (sources === undefined) return 'failed';
  return { context: textAfter('Context: '), sources: JSON.parse(sources) as unknown };
}

const RESULTS = [
  passage('Three minutes. 🫖', { metadata: { 'x-amz-bedrock-kb-chunk-id': 'c1' } }),
  passage('Or four.', { location: { type: 'WEB', webLocation: { url: 'https://tea.example/a' } } }),
  passage('Or five.', { location: { type: 'S3', s3Location: { uri: 's3://docs/Earl_Grey_hot.txt' } } }),
  passage('Or six.', { score: 0.1 }),
];

const NAME = 'retrieve_from_aws_kb';
const ASKED = { query: 'How long does "tea" steep?', knowledgeBaseId: 'ABCDE12345' };

export const awsKbRetrieval: Comparison = {
  name: 'aws-kb-retrieval',
  async start() {
    const standIn = new StandIn();
    const reset = (): void => {
      standIn.reset();
      standIn.answer = ({ knowledgeBaseId, body }) => ({
        retrievalResults:
          knowledgeBaseId === 'EMPTY'
            ? []
            : RESULTS.slice(0, body.retrievalConfiguration.vectorSearchConfiguration.numberOfResults),
      });
    };
    await standIn.start();
    reset();
    return { url: standIn.url, reset, stop: () => standIn.stop() };
  },
  ours: (url) => ({ args: ['--endpoint-url', url], env: CREDENTIALS }),
  // Its client reads this variable, so nothing has to be redirected.
  original: async (url) => ({
    env: { ...CREDENTIALS, AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME: await startHttp2Bridge(url) },
  }),
  read,
  readOriginal: read,
  calls: [
    { name: NAME, args: ASKED },
    { name: NAME, args: { ...ASKED, n: 1 } },
    { name: NAME, args: { ...ASKED, n: 4 }, otherAnswer: 'the original lists three sources at most' },
    { name: NAME, args: { ...ASKED, knowledgeBaseId: 'EMPTY' } },
    { name: NAME, args: { ...ASKED, knowledgeBaseId: '' } },
    { name: NAME, args: { ...ASKED, n: 0 }, otherRequests: 'refused before it is sent', otherAnswer: 'AWS refuses it' },
  ],
};
