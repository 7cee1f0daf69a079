// Writes the site's generated parts into docs/.generated.
import '../apps/server/scripts/docs.ts';
import '../apps/cli/scripts/docs.ts';
