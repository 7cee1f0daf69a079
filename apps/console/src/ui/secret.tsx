import { Check, Copy, Download } from 'lucide-react';
import { download } from '../lib/download.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useCopy } from './text.tsx';

/** Shows secrets that cannot be displayed again. */
export function SecretDialog({
  title,
  about = 'Copy it now: it is not shown again.',
  secrets,
  file,
  close,
}: {
  title: string;
  about?: string;
  secrets: readonly (readonly [name: string, value: string])[];
  /** A file to download, for secrets that are kept as a file. */
  file?: { name: string; text: string };
  close: () => void;
}) {
  return (
    <Dialog close={close} title={title} about={about}>
      <dl className="space-y-4">
        {secrets.map(([name, value]) => (
          <Secret key={name} name={name} value={value} />
        ))}
      </dl>
      <div className="mt-5 flex flex-wrap justify-end gap-2">
        {file === undefined ? null : (
          <Button onClick={() => download(file)}>
            <Download aria-hidden="true" className="size-4" /> Download {file.name}
          </Button>
        )}
        <Button look="primary" onClick={close}>
          I have saved it
        </Button>
      </div>
    </Dialog>
  );
}

function Secret({ name, value }: { name: string; value: string }) {
  const [isCopied, copy] = useCopy(value);
  const Icon = isCopied ? Check : Copy;
  return (
    <div>
      <dt className="mb-1 flex items-center justify-between gap-2 text-sm font-medium">
        <span>{name}</span>
        <Button look="quiet" className="-mr-3.5" aria-label={`Copy: ${name}`} onClick={copy}>
          <Icon aria-hidden="true" className="size-4" /> {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </dt>
      <dd>
        <section
          aria-label={name}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
          tabIndex={0}
          className="max-h-64 overflow-y-auto rounded-lg bg-sunken px-3 py-2"
        >
          <span className="font-mono text-xs break-all whitespace-pre-wrap">{value}</span>
        </section>
      </dd>
    </div>
  );
}
