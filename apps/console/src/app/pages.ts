/** The code of each page, by its path below `/console`. */
export const pages = {
  '/welcome': () => import('../pages/welcome.tsx'),
  '/signed-out': () => import('../pages/signed-out.tsx'),
  '/': () => import('../pages/overview.tsx'),
  '/invitation': () => import('../pages/invitation.tsx'),
  '/actions': () => import('../pages/actions.tsx'),
  '/actions/$actionId': () => import('../pages/action.tsx'),
  '/send': () => import('../pages/send.tsx'),
  '/wallets': () => import('../pages/wallets.tsx'),
  '/wallets/$walletId': () => import('../pages/wallet.tsx'),
  '/contracts': () => import('../pages/contracts.tsx'),
  '/templates': () => import('../pages/templates.tsx'),
  '/templates/$templateId': () => import('../pages/template.tsx'),
  '/ledgers': () => import('../pages/ledgers.tsx'),
  '/ledgers/$ledgerId': () => import('../pages/ledger.tsx'),
  '/plugins': () => import('../pages/plugins.tsx'),
  '/plugins/$pluginId': () => import('../pages/plugin.tsx'),
  '/webhooks': () => import('../pages/webhooks.tsx'),
  '/webhooks/$webhookId': () => import('../pages/webhook.tsx'),
  '/access': () => import('../pages/access.tsx'),
  '/access/accounts/$accountId': () => import('../pages/account.tsx'),
  '/timeline': () => import('../pages/timeline.tsx'),
};

export const loadFrame = () => import('./frame.tsx');

/** Begins to load the code of an address, before the router is there that would ask for it. */
export function loadAhead(address: string): void {
  const parts = new URL(address, location.origin).pathname.replace(/^[/]console/, '').split('/');
  const page = Object.entries(pages).find(([path]) => {
    const names = path.split('/');
    return (
      names.length === parts.length && names.every((name, at) => name.startsWith('$') || name === parts[at])
    );
  });
  // A page that does not load is asked for again, and the fault told, by who shows it.
  for (const load of [loadFrame, page?.[1]]) void load?.().catch(() => {});
}
