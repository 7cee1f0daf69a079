/** Loads the code of each page, by its path below `/console`. */
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

/** Starts to load the code of an address before the router requests it. */
export function loadAhead(address: string): void {
  const parts = new URL(address, location.origin).pathname.replace(/^[/]console/, '').split('/');
  const page = Object.entries(pages).find(([path]) => {
    const names = path.split('/');
    return (
      names.length === parts.length && names.every((name, at) => name.startsWith('$') || name === parts[at])
    );
  });
  // The router tries again and shows the error.
  for (const load of [loadFrame, page?.[1]]) void load?.().catch(() => {});
}
