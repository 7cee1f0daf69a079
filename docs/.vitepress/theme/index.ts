// The fonts are those of the console's identity, in place of the theme's.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
