import { statusText } from '@ledger-ops/client/text';
import { clsx } from 'clsx';
import { Ban, Check, Clock, Undo2, X } from 'lucide-react';
import type { ReactNode } from 'react';

type Tone = 'good' | 'wait' | 'bad' | 'info' | 'none';

const tones: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  wait: 'bg-wait-soft text-wait',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-info',
  none: 'bg-sunken text-ink-2',
};

export function Badge({ tone = 'none', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={clsx(
        'inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}

const icons = { SUCCEEDED: Check, PENDING: Clock, FAILED: X, CANCELED: Ban, RETRACTED: Undo2 };
const names = {
  SUCCEEDED: ['good', 'Succeeded'],
  PENDING: ['wait', 'Pending'],
  FAILED: ['bad', 'Failed'],
  CANCELED: ['none', 'Canceled'],
  RETRACTED: ['bad', 'Retracted'],
} as const;

/** The state of an action. The color only repeats the meaning of the word. */
export function Status({
  of,
}: {
  of: {
    status: 'PENDING' | 'SUCCEEDED' | 'FAILED';
    problem?: { type: string } | undefined;
    retracted?: object | undefined;
  };
}) {
  const state = statusText(of);
  const [tone, name] = names[state];
  const Icon = icons[state];
  return (
    <Badge tone={tone}>
      <Icon aria-hidden="true" className="size-3" strokeWidth={3} />
      {name}
    </Badge>
  );
}
