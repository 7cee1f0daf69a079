import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // A data: URL would need a hole in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // By what is loaded together: a request for each small module would be more rounds of a slow connection than bytes.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // All that the first script needs.
            {
              name: 'session',
              test: /src[/\\](?:session[/\\](?:session|mail-link|project)|lib[/\\]theme|api[/\\](?:client|person|stream)|app[/\\]pages)/,
              priority: 1,
            },
            // As much again as all others: two requests are through sooner than one.
            { name: 'react', test: /node_modules[/\\]react-dom[/\\]/, priority: 1 },
            {
              name: 'vendor',
              test: /node_modules[/\\](?!.*(?:@base-ui|@floating-ui|dagre|tabbable|reselect))/,
            },
            {
              name: 'parts',
              test: /src[/\\](?:api|session|lib[/\\]format|app[/\\](?!drawer|pages)|pages[/\\]callback|ui[/\\](?!chart|dialog|form-dialog|secret))/,
            },
            // The first page, and what it shows of others.
            { name: 'overview', test: /src[/\\](?:pages[/\\](?:overview|actions|ledger[/\\])|ui[/\\]chart)/ },
          ],
        },
      },
    },
  },
  // Development: pages from here, everything else from a server that runs.
  server: { proxy: { '^/(v1|[.]well-known|readyz)': 'http://127.0.0.1:3000' } },
});
