import icon from '../icon.svg';
import './brand.css';

/** Sign and name of the product. */
export const Brand = () => (
  <span class="brand">
    <img src={icon} alt="" width={24} height={24} />
    <span class="brand-name">Agent Spending Wallet</span>
  </span>
);
