// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

// / / Contract that the tests call.
contract Fixture {
    struct Point {
        int64 x;
        int64 y;
    }

    struct Line {
        string label;
        Point[] points;
    }

    error TooSmall(uint256 given, string why);

    uint256 public value;
    bytes32 public digest;
    mapping(address account => uint256) public stored;

    constructor(uint256 initial, string memory) payable {
        value = initial;
    }

    function set(uint256 next) external {
        value = next;
    }

    function setPayable(uint256 next) external payable {
        value = next;
        stored[msg.sender] += msg.value;
    }

    function overloaded(uint256 a) external pure returns (uint256) {
        return a;
    }

    function overloaded(string calldata a) external pure returns (string memory) {
        return a;
    }

    function overloaded(uint256 a, uint256 b) external pure returns (uint256) {
        return a + b;
    }

    function line(Line calldata one, bytes4[2] calldata tags, bool flag)
        external
        pure
        returns (Line memory, bytes4[2] memory, bool)
    {
        return (one, tags, flag);
    }

    function keep(Line calldata one, address[] calldata accounts) external {
        digest = keccak256(abi.encode(one, accounts));
    }

    function two() external view returns (uint256 amount, address account) {
        return (value, address(this));
    }

    function failWithText(string calldata why) external {
        value += 1;
        require(bytes(why).length == 0, why);
    }

    function failWithPanic(uint256 divisor) external {
        value = 1 / divisor;
    }

    function failWithCustom(uint256 given) external {
        value += 1;
        revert TooSmall(given, "smaller than ten");
    }

    function failSilently() external {
        value += 1;
        revert();
    }

    function burn() external {
        for (uint256 i = 0; ; i++) {
            stored[address(uint160(i))] = i;
        }
    }
}

// / Contract that accepts ether; receiving it costs extra gas.
contract Receiver {
    uint256 public received;

    receive() external payable {
        received += msg.value;
    }
}
