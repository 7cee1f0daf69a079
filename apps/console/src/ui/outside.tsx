import { type ReactNode, useEffect } from 'react';
import { Mark } from './mark.tsx';

/** Layout of pages that do not require a sign-in. */
export function Outside({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Ledger Operations Console`;
  }, [title]);
  return (
    <div className="min-h-dvh min-[60rem]:grid min-[60rem]:grid-cols-[minmax(24rem,5fr)_7fr]">
      <header className="on-brand flex flex-col justify-between px-4 py-5 min-[60rem]:p-12">
        <div className="flex items-center gap-3.5">
          <Mark size={48} />
          <p className="text-xl font-semibold">Ledger Operations Console</p>
        </div>
        <div className="max-[60rem]:hidden">
          <p className="mb-4 max-w-[24ch] text-2xl font-semibold text-balance">
            Operations on every ledger, each exactly once.
          </p>
          <p className="max-w-[40ch] text-ink-2">
            Transfers, contract calls and deployments through custodial wallets. Every operation survives a
            crash at any moment.
          </p>
        </div>
      </header>
      <main className="mx-auto grid w-full max-w-lg content-center px-4 py-10 min-[60rem]:min-h-dvh">
        <div className="rounded-2xl border border-line bg-surface p-6 shadow-card sm:p-8">
          <h1 className="mb-4 text-xl font-semibold">{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}
