// Replaces the theme's fonts with those of the console.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
