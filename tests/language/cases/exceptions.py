"""`try`, `raise`, and what is raised by what is called."""

from __future__ import annotations

CASES: dict[str, list[str]] = {
    "exception": [
        """
        k = 0
        try:
            'ab'.lstrip(n)
        except TypeError:
            k = 1
        try:
            str(n).strip(3)
        except TypeError:
            k += 2
        return k + n
        """,
        """
        try:
            try:
                raise KeyError('a')
            except KeyError as z:
                raise ValueError('b') from z
        except ValueError as z:
            return isinstance(z.__cause__, KeyError), isinstance(z.__context__, KeyError), n
        """,
        """
        k = 0
        try:
            n + [1]
        except TypeError:
            k = 1
        try:
            f < (1,)
        except TypeError:
            k += 2
        return k + n
        """,
        """
        k = 0
        try:
            n in 'ab'
        except TypeError:
            k = 1
        try:
            ','.join([n])
        except TypeError:
            k += 2
        return k + n
        """,
        """
        k = 0
        try:
            '{:d}'.format(f)
        except ValueError:
            k = 1
        try:
            f'{x:.2f}'
        except TypeError:
            k += 2
        return k + n
        """,
        """
        k = 0
        try:
            str(n) + n
        except TypeError:
            k = 1
        try:
            enumerate([n], f)
        except TypeError:
            k += 2
        return k + n
        """,
        """
        k = 0
        try:
            setattr(self, 'a')
        except TypeError:
            k = 1
        try:
            hasattr(self, 1)
        except TypeError:
            k += 2
        return k + n
        """,
        """
        k = 0
        try:
            [n].zz = 1
        except AttributeError:
            k = 1
        try:
            isinstance(n, [int])
        except TypeError:
            k += 2
        return k + n
        """,
        """
        try:
            y = {'a': n}['b']
        except KeyError:
            y = f
        return y
        """,
        """
        try:
            y = self.nothing
        except AttributeError as error:
            y = n
        else:
            y = 0
        finally:
            n = 1
        return y
        """,
        """
        try:
            y = n + 1
        except ValueError:
            y = 0
        else:
            y += 1
        finally:
            y += 10
        return y
        """,
        """
        try:
            raise ValueError('a')
        except (KeyError, ValueError) as error:
            y = len(error.args) + n
        return y
        """,
        """
        def g():
            try:
                return n
            finally:
                NAMES
        return g()
        """,
        """
        with Guard():
            raise ValueError
        return n
        """,
        """
        class Own(Exception):
            pass
        try:
            raise Own('x')
        except Own:
            return n
        return f
        """,
        """
        try:
            try:
                raise KeyError('a')
            except KeyError as error:
                raise ValueError('b') from error
        except ValueError:
            return n
        """,
        """
        try:
            int('x')
        except ValueError:
            return n
        return 0
        """,
        """
        for v in (1, 0, 2):
            try:
                w = 1 // v
            except ZeroDivisionError:
                continue
            n += w
        return n
        """,
        """
        if n > 100:
            raise ValueError('too large')
        return n
        """,
        """
        assert n < 100, f'{n}'
        return n
        """,
        """
        if n > 100:
            raise ValueError('%d of %s is too large' % (n, f))
        return n
        """,
        """
        if n > 100:
            m = 'too large: ' + str(n)
            raise ValueError(m, n)
        return n
        """,
        """
        if n > 100:
            raise ValueError('{} at {}'.format(n, x.shape))
        return n
        """,
        """
        print(f'{n} of {x}', repr(x), '%s' % f)
        return n
        """,
        """
        class Options:
            pass
        o = Options()
        o.a, o.b = n, f
        held = vars(o)
        held['d'] = n * 2
        return dict(vars(o)), {**vars(o), 'a': 1}, sorted(vars(o)), o.d, len(held)
        """,
        """
        for name in ['n', 'f']:
            if not isinstance(eval(name), (int, float)):
                raise TypeError(name)
        return eval('n') + eval('len')(x)
        """,
        """
        print('in: ' + str(n if c else x) + ', '.join(['%d' % n, 'b']).replace('b', 'c').upper())
        return n
        """,
        """
        t = ''
        if c:
            t = 'n is ' + str(n)
        for i in range(n):
            print(t + str(i))
        return n
        """,
        """
        names = [chr(97 + i) for i in range(26)]
        print('best: ' + ''.join([names[i % 26] for i in range(n)]))
        return n
        """,
        """
        names = [chr(97 + i) for i in range(26)]
        print(names[n % 26], names[n % 26] + '!')
        return n
        """,
        """
        try:
            y = x + x
        except ValueError:
            y = x
        return y * n
        """,
        """
        try:
            import nothing_of_this_name
        except ImportError:
            nothing_of_this_name = None
        return n
        """,
        """
        try:
            y = x.nothing
        except AttributeError:
            y = x + n
        return y
        """,
        """
        try:
            pass
        finally:
            n += 1
        return n
        """,
    ],
}
