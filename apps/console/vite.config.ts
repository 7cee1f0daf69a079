import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2022',
    // A data: URL would require a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Modules that are loaded together share a chunk, because on a slow connection round trips cost more than bytes.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Modules imported by the entry script.
            {
              name: 'session',
              test: /src[/\\](?:session[/\\](?:session|mail-link|project)|lib[/\\]theme|api[/\\](?:client|person|stream)|app[/\\]pages)/,
              priority: 1,
            },
            // React DOM is as large as all other libraries together, and two parallel requests finish sooner than one.
            { name: 'react', test: /node_modules[/\\]react-dom[/\\]/, priority: 1 },
            {
              name: 'vendor',
              test: /node_modules[/\\](?!.*(?:@base-ui|@floating-ui|dagre|tabbable|reselect|re2js))/,
            },
            {
              name: 'parts',
              test: /packages[/\\]client|src[/\\](?:api|session|lib[/\\]format|app[/\\](?!drawer|pages|search[.])|pages[/\\]callback|ui[/\\](?!bars|dialog|form-dialog|secret))/,
            },
            // The overview, and the modules of other pages that it uses.
            { name: 'overview', test: /src[/\\](?:pages[/\\](?:overview|actions|ledger[/\\])|ui[/\\]bars)/ },
          ],
        },
      },
    },
  },
  // Development: Vite serves the pages, and a running server everything else.
  server: { proxy: { '^/(v1|[.]well-known|readyz)': 'http://127.0.0.1:3000' } },
});
