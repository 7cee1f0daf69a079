import { Link } from '@tanstack/react-router';
import { FileCode2, Gauge, ListChecks, Plus, Wallet } from 'lucide-react';
import { buttonClass } from '../ui/button.tsx';

const places = [
  { to: '/', label: 'Overview', Icon: Gauge },
  { to: '/actions', label: 'Actions', Icon: ListChecks },
  { to: '/wallets', label: 'Wallets', Icon: Wallet },
  { to: '/contracts', label: 'Contracts', Icon: FileCode2 },
] as const;

export function Navigation() {
  return (
    <nav aria-label="Main" className="min-h-0 overflow-y-auto px-3 pb-4">
      <Link to="/send" search={{}} className={buttonClass('primary', 'mb-3 w-full')}>
        <Plus aria-hidden="true" className="size-4" /> New operation
      </Link>
      <ul className="space-y-0.5">
        {places.map(({ to, label, Icon }) => (
          <li key={to}>
            <Link
              to={to}
              search={{}}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="flex min-h-10 items-center gap-3 rounded-lg px-3 text-sm font-medium text-ink-2 hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
            >
              <Icon aria-hidden="true" className="size-4.5" />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
