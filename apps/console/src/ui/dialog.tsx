import { Dialog as Base } from '@base-ui/react/dialog';
import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { type ReactNode, useRef } from 'react';

/** A modal dialog. Focuses the first field, closes on Escape, and then returns the focus. */
export function Dialog({
  close,
  title,
  about,
  wide = false,
  children,
}: {
  close: () => void;
  title: string;
  about?: ReactNode;
  /** Shows fields in two columns if the screen is wide enough. */
  wide?: boolean;
  children: ReactNode;
}) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <Base.Root
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Base.Popup
          // On touch screens, focusing a field would open the keyboard over the content.
          initialFocus={(type) =>
            type === 'touch' || (content.current?.querySelector('input, select, textarea') ?? true)
          }
          className={clsx(
            'fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] -translate-x-1/2 -translate-y-1/2 overflow-y-auto',
            'rounded-2xl border border-line bg-surface p-6 text-ink shadow-2xl',
            wide ? 'w-[min(46rem,calc(100vw-2rem))]' : 'w-[min(34rem,calc(100vw-2rem))]',
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <Base.Title className="min-w-0 text-lg font-semibold wrap-anywhere">{title}</Base.Title>
            <Base.Close
              aria-label="Close"
              className="-mt-1 -mr-2 grid size-9 place-items-center rounded-lg text-ink-3 hover:bg-sunken"
            >
              <X aria-hidden="true" className="size-4" />
            </Base.Close>
          </div>
          {about === undefined ? null : (
            <Base.Description render={<div />} className="mt-1 text-sm text-pretty wrap-anywhere text-ink-2">
              {about}
            </Base.Description>
          )}
          <div ref={content} className="mt-5">
            {children}
          </div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
