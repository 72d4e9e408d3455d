import { type ReactNode, useEffect, useState } from 'react';
import { Badge } from '../../parts/Badge.tsx';
import { Toggle } from '../../parts/Button.tsx';
import { Inert, OutLink } from '../../parts/Inert.tsx';
import { inertText, safeLink } from '../../parts/inert.ts';
import { JsonView, TextView } from '../../parts/JsonView.tsx';
import { bytes } from '../../parts/numbers.ts';
import { hrefOf } from '../../route/use-route.ts';
import type { Block, Notes } from './result-views.ts';
import css from './result.module.css';

/** Image types that a browser can show without running scripts. */
const IMAGES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
  'image/svg+xml',
]);
const MAX_SHOWN = 300;

/** A blob URL for base64 data. Undefined: they are not base64. */
function useBlob(data: string, type: string): { readonly url: string; readonly size: number } | undefined {
  const [blob, setBlob] = useState<{ readonly url: string; readonly size: number }>();
  useEffect(() => {
    let url: string | undefined;
    try {
      const bits = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
      url = URL.createObjectURL(new Blob([bits], { type }));
      setBlob({ url, size: bits.length });
    } catch {
      setBlob(undefined);
    }
    return () => {
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [data, type]);
  return blob;
}

function Media({ block }: { readonly block: Extract<Block, { data: string }> }): ReactNode {
  const type = block.mimeType.split(';')[0]!.trim().toLowerCase();
  const shown = block.type === 'audio' ? /^audio\/[\w.+-]+$/.test(type) : block.type === 'image' && IMAGES.has(type);
  const blob = useBlob(block.data, shown ? type : 'application/octet-stream');
  if (blob === undefined) return <p className={css.note}>This is not base64.</p>;
  return (
    <div className={css.figure}>
      {shown && block.type === 'image' && (
        <img className={css.image} src={blob.url} alt={`Content, ${inertText(type, 40)}`} />
      )}
      {shown && block.type === 'audio' && (
        <audio controls src={blob.url} aria-label={`Content, ${inertText(type, 40)}`} />
      )}
      <span className={css.blockHead}>
        {bytes(blob.size)}
        <a href={blob.url} download="content">
          Save
        </a>
      </span>
    </div>
  );
}

function looksLikeJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Longer texts are shown in the editor, which renders only the visible part. */
const LONG = 20_000;

function TextBlock({ text }: { readonly text: string }): ReactNode {
  const [asJson, setAsJson] = useState(false);
  const [json] = useState(() => looksLikeJson(text));
  return (
    <>
      {json && (
        <span>
          <Toggle small isSelected={asJson} onChange={setAsJson}>
            As JSON
          </Toggle>
        </span>
      )}
      {asJson || text.length > LONG ? (
        <div className={css.json}>
          {asJson ? <JsonView text={text} label="The text, as JSON" /> : <TextView text={text} label="The text" />}
        </div>
      ) : (
        <div className={css.text}>
          <Inert text={text} mono block most={LONG} />
        </div>
      )}
    </>
  );
}

function NotesLine({ about, type }: { readonly about: Notes; readonly type: string }): ReactNode {
  return (
    <div className={css.blockHead}>
      {about.role !== undefined && <Badge tone="info">{inertText(about.role, 40)}</Badge>}
      <span>{type}</span>
      {about.uri !== undefined && <Inert text={about.uri} mono most={300} />}
      {about.mimeType !== undefined && <span>{inertText(about.mimeType, 80)}</span>}
    </div>
  );
}

function LinkBlock({
  block,
  server,
}: {
  readonly block: Extract<Block, { type: 'link' }>;
  readonly server: string;
}): ReactNode {
  return (
    <div className={css.text}>
      {block.name !== undefined && (
        <p>
          <Inert text={block.name} most={200} />
        </p>
      )}
      {block.description !== undefined && (
        <p>
          <Inert text={block.description} block most={600} />
        </p>
      )}
      {safeLink(block.uri) === undefined ? <Inert text={block.uri} mono most={400} /> : <OutLink href={block.uri} />}{' '}
      <a href={hrefOf({ screen: 'explore', server, rest: ['resources', block.uri] })}>Read it from the server</a>
    </div>
  );
}

function bodyOf(block: Block, server: string): ReactNode {
  if (block.type === 'text') return <TextBlock text={block.text} />;
  if (block.type === 'link') return <LinkBlock block={block} server={server} />;
  if (block.type !== 'unknown') return <Media block={block} />;
  return (
    <div className={css.text}>
      <Inert text={block.json} mono block />
    </div>
  );
}

/** The content blocks of a result: text of a server, or binary data that are shown and never run. */
export function ContentView({
  content,
  server,
}: {
  readonly content: readonly Block[];
  readonly server: string;
}): ReactNode {
  return (
    <div className={css.blocks}>
      {content.length === 0 && <p className={css.note}>There is no content.</p>}
      {content.slice(0, MAX_SHOWN).map((block, at) => (
        <div key={at} className={css.block}>
          <NotesLine about={block.about} type={block.type === 'link' ? 'resource link' : block.type} />
          {bodyOf(block, server)}
        </div>
      ))}
      {content.length > MAX_SHOWN && (
        <p className={css.note}>
          The first {MAX_SHOWN} of {content.length} pieces. All of them are in the raw view.
        </p>
      )}
    </div>
  );
}
