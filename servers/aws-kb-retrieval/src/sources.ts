import type { KnowledgeBaseRetrievalResult } from '@aws-sdk/client-bedrock-agent-runtime';

/** A passage of a document, as the original server describes it. */
export interface Source {
  readonly id: string;
  readonly fileName: string;
  readonly snippet: string;
  readonly score: number;
  /** Where the document is, if AWS says it. */
  readonly uri: string | undefined;
}

/** Where a document is: in S3, on the web, or in another system. */
function uriOf({ location = undefined }: KnowledgeBaseRetrievalResult): string | undefined {
  const {
    s3Location,
    webLocation,
    confluenceLocation,
    salesforceLocation,
    sharePointLocation,
    oneDriveLocation,
    googleDriveLocation,
    kendraDocumentLocation,
  } = location ?? {};
  return (
    s3Location?.uri ??
    webLocation?.url ??
    confluenceLocation?.url ??
    salesforceLocation?.url ??
    sharePointLocation?.url ??
    oneDriveLocation?.url ??
    googleDriveLocation?.url ??
    kendraDocumentLocation?.uri ??
    location?.customDocumentLocation?.id
  );
}

/** The results with a text. Ids and names are made as the original makes them. */
export function sourcesIn(results: readonly KnowledgeBaseRetrievalResult[]): readonly Source[] {
  return results
    .filter(({ content }) => content?.text)
    .map((result, index) => {
      const uri = uriOf(result);
      const fileName = result.location?.s3Location?.uri?.split('/').pop() || `Source-${index}.txt`;
      return {
        id: String(result.metadata?.['x-amz-bedrock-kb-chunk-id'] || `chunk-${index}`),
        fileName: fileName.replaceAll('_', ' ').replace('.txt', ''),
        snippet: result.content!.text!,
        score: result.score ?? 0,
        uri,
      };
    });
}
