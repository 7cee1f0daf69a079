import { Link } from '@tanstack/react-router';
import {
  Blocks,
  FileCode2,
  Gauge,
  History,
  KeyRound,
  LayoutTemplate,
  ListChecks,
  Plug,
  Plus,
  Wallet,
  Webhook,
} from 'lucide-react';
import { Fragment } from 'react';
import { buttonClass } from '../ui/button.tsx';

const groups = [
  {
    label: undefined,
    places: [
      { to: '/', label: 'Overview', Icon: Gauge },
      { to: '/actions', label: 'Actions', Icon: ListChecks },
      { to: '/wallets', label: 'Wallets', Icon: Wallet },
      { to: '/contracts', label: 'Contracts', Icon: FileCode2 },
      { to: '/templates', label: 'Templates', Icon: LayoutTemplate },
    ],
  },
  {
    label: 'Installation',
    places: [
      { to: '/ledgers', label: 'Ledgers', Icon: Blocks },
      { to: '/plugins', label: 'Plugins', Icon: Plug },
      { to: '/webhooks', label: 'Webhooks', Icon: Webhook },
      { to: '/access', label: 'Access', Icon: KeyRound },
      { to: '/timeline', label: 'Timeline', Icon: History },
    ],
  },
] as const;

export function Navigation() {
  return (
    <nav aria-label="Main" className="min-h-0 overflow-y-auto px-3 pb-4">
      <Link to="/send" search={{}} className={buttonClass('primary', 'mb-3 w-full')}>
        <Plus aria-hidden="true" className="size-4" /> New operation
      </Link>
      {groups.map(({ label: group, places }) => (
        <Fragment key={group ?? ''}>
          {group === undefined ? null : (
            <p id={`places-${group}`} className="mt-4 mb-1 px-3 text-xs font-medium text-ink-3">
              {group}
            </p>
          )}
          <ul aria-labelledby={group === undefined ? undefined : `places-${group}`} className="space-y-0.5">
            {places.map(({ to, label, Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  search={{}}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  className="flex min-h-9 items-center gap-3 rounded-lg px-3 text-sm font-medium text-ink-2 hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
                >
                  <Icon aria-hidden="true" className="size-4.5" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  );
}
