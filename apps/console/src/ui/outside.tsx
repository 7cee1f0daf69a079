import { type ReactNode, useEffect } from 'react';
import { Mark } from './mark.tsx';

/** A page for who is not signed in. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tally`;
  }, [title]);
  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-md">
        <div className="mb-8 flex items-center gap-3.5">
          <Mark size={48} />
          <div>
            <p className="text-xl font-semibold tracking-tight">Tally</p>
            <p className="text-sm text-ink-2">Ledger Operations, counted once</p>
          </div>
        </div>
        <div className="rounded-2xl border border-line bg-surface p-6 sm:p-8">
          <h1 className="mb-4 text-xl font-semibold">{title}</h1>
          {children}
        </div>
      </div>
    </main>
  );
}
