import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from '../api/queries.ts';
import { router } from './router.tsx';

export function mount(): void {
  const root = document.getElementById('root');
  if (root === null) throw new TypeError('The page has no element #root.');
  // A transition renders in small steps, so that a slow phone still responds to taps.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={queries}>
            <RouterProvider router={router} />
          </QueryClientProvider>
        </CSPProvider>
      </StrictMode>,
    ),
  );
}
