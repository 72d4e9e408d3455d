import { createLoginFiles, storeLogin } from '../servers/gdrive/src/fixtures/login.ts';
import { createStandIn } from '../servers/gdrive/src/fixtures/stand-in.ts';
import type { ComparedCall, Comparison, Result } from './comparison.ts';

interface File {
  readonly name: string;
  readonly mimeType: string;
}

/** The names and types of files, which is what the original answers, or resources. */
function read({ structuredContent }: Result): unknown {
  const { files, ...resources } = structuredContent as { readonly files?: readonly File[] };
  return files?.map(({ name, mimeType }) => ({ name, mimeType })) ?? resources;
}

/** The files that the original writes as lines of text, or resources. */
function readOriginal(result: Result): unknown {
  if (result.structuredContent !== undefined) return result.structuredContent;
  const [, ...lines] = result.content[0]!.text!.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [, name, mimeType] = /^(.*) \((.*)\)$/.exec(line) ?? [];
    return { name, mimeType };
  });
}

const files = createLoginFiles();
storeLogin(files);
const ENV = { GDRIVE_OAUTH_PATH: files.keys, GDRIVE_CREDENTIALS_PATH: files.credentials };
const NO_TRASH = 'files in the trash are left out';

function search(query: string, otherAnswer?: string): ComparedCall {
  return { name: 'search', args: { query }, otherAnswer, otherRequests: NO_TRASH };
}

function reading(id: string, otherAnswer?: string, otherRequests?: string): ComparedCall {
  return { name: 'resources/read', args: { uri: `gdrive:///${id}` }, otherAnswer, otherRequests };
}

export const gdrive: Comparison = {
  name: 'gdrive',
  origins: ['https://www.googleapis.com'],
  async start() {
    const standIn = createStandIn();
    await standIn.start();
    return {
      url: standIn.url,
      reset: () => standIn.reset(),
      stop() {
        standIn.stop();
        files.remove();
      },
    };
  },
  ours: (url) => ({ args: ['--google-url', url], env: ENV }),
  original: () => ({ env: ENV }),
  read,
  readOriginal,
  // Shared drives are included, and more fields are asked for.
  leftOutParameters: /^(?:fields|corpora|supportsAllDrives|includeItemsFromAllDrives)$/,
  calls: [
    search('black'),
    search("It's \\ tea"),
    search("' or name contains '"),
    search('oolong', 'the file is in a shared drive'),
    search('old tea', NO_TRASH),
    search('', 'an empty query is an error here'),
    reading('doc-1'),
    reading('slides1'),
    reading('text1'),
    reading('json1'),
    reading('png1'),
    reading('empty1'),
    reading('none'),
    reading('sheet2'),
    reading('sheet_1', 'the file is in a shared drive', 'the file is in a shared drive'),
    reading('folder1', undefined, 'folders are not converted'),
    reading('form1', undefined, 'forms are not converted'),
    reading('drawing1', 'the original damages the PNG'),
    reading('latin1', 'text that is not UTF-8 is read as bytes'),
    reading('script1', 'scripts are read', 'scripts are read'),
    reading('shortcut1', 'shortcuts are followed', 'shortcuts are followed'),
    {
      name: 'resources/list',
      args: {},
      otherAnswer: 'the list has no folders, and the types in which files are read',
      otherRequests: 'one large page, the newest files first',
    },
  ],
};
