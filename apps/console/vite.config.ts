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
  },
  // Development: pages from here, everything else from a server that runs.
  server: { proxy: { '^/(v1|[.]well-known|readyz)': 'http://127.0.0.1:3000' } },
});
