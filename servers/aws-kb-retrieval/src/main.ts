import process from 'node:process';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { createAwsKbRetrieval } from './aws-kb-retrieval.ts';

function endpointOf(given: ParsedArguments): string | undefined {
  const address =
    given.text('endpoint-url') ??
    (process.env['AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME'] || process.env['AWS_ENDPOINT_URL'] || undefined);
  if (address === undefined) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!/^https?:$/.test(url?.protocol ?? '') || url!.username !== '' || url!.search !== '' || url!.hash !== '')
    throw new Error('The endpoint must be like https://bedrock-agent-runtime.us-east-1.amazonaws.com');
  return url!.href;
}

const command: ServerCommand = {
  name: 'aws-kb-retrieval',
  about: 'passages from knowledge bases of Amazon Bedrock',
  options: {
    'endpoint-url': {
      type: 'string',
      about: 'the address of Bedrock, such as that of a VPC endpoint; also AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME',
    },
    region: { type: 'string', about: 'the region of the knowledge base; also AWS_REGION' },
  },
  create(given) {
    const region = given.text('region');
    if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) throw new Error(`'${region}' is not a region`);
    return createAwsKbRetrieval({ endpoint: endpointOf(given), region });
  },
};

/** Runs the server with these arguments. */
export function main(argv: readonly string[]): Promise<void> {
  return run(command, argv);
}
