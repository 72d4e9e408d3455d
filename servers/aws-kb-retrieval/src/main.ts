import { addressOf } from '../../shared/api/command-options.ts';
import { type ParsedArguments, run, type ServerCommand } from '../../shared/command.ts';
import { createAwsKbRetrieval } from './aws-kb-retrieval.ts';

function endpointOf(given: ParsedArguments): string | undefined {
  const source = { option: 'endpoint-url', example: 'https://bedrock-agent-runtime.us-east-1.amazonaws.com' };
  return (
    addressOf(given, { ...source, variable: 'AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME' }) ??
    addressOf(given, { ...source, variable: 'AWS_ENDPOINT_URL' })
  );
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
